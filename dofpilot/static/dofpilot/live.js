// A run while it works: steps arrive by event stream, or by polling where there is none.
// The server renders everything; here it is only put in its place.

const SILENCE = 10;
const POLL = 2_000;
const POLL_AFTER_FAULT = 5_000;

const page = document.getElementById("investigacion");
const announcer = document.querySelector("[data-announcer]");
const log = page.querySelector("[data-log]");
const words = page.dataset;

let last = Number(words.after);
let seconds = 0;
let silent = 0;
let lost = false;
let over = false;
let source = null;

// The newest step stays in sight until the reader goes somewhere else.
let following = true;
for (const moved of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(moved, () => (following = false), { once: true, passive: true });
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function placeStep(step) {
  const old = document.getElementById(step.id);
  if (old) old.replaceWith(step);
  else {
    step.classList.add("new");
    log.append(step);
    if (following) step.scrollIntoView({ block: "nearest" });
  }
  announcer.textContent = step.querySelector("[data-say]").textContent;
}

function takeStep(sequence, html) {
  // A step may come twice, from the record and from a push.
  if (sequence <= last) return;
  last = sequence;
  silent = 0;
  placeStep(fragment(html).firstElementChild);
  tell();
}

function takeStatus(line) {
  page.querySelector("[data-status-line]").replaceWith(line);
  seconds = Number(line.dataset.seconds);
  tell();
}

function tell() {
  const line = page.querySelector("[data-status-line]");
  if (over || line.dataset.state !== "started") return;
  const text = lost ? words.sayLost : silent >= SILENCE ? words.saySilent : words.sayRunning;
  const t = silent >= SILENCE && !lost ? silent : seconds;
  line.querySelector("[data-status-text]").textContent = text.replace("{n}", log.querySelectorAll(".step").length).replace("{t}", t);
}

function tick() {
  seconds += 1;
  silent += 1;
  tell();
}

async function ask(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" }, cache: "no-store" });
  // Signed out meanwhile: the page itself leads to the sign-in form and back.
  if (response.redirected) window.location.reload();
  if (!response.ok) throw new Error(`${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

async function finish() {
  if (over) return;
  try {
    const fresh = await ask(window.location.href);
    const next = fresh.getElementById("investigacion");
    if (next.hasAttribute("data-live")) throw new Error("still at work");
    over = true;
    clearInterval(clock);
    showResult(fresh, next);
  } catch {
    setTimeout(finish, POLL);
  }
}

function showResult(fresh, next) {
  // The log stays the one on screen, with what was opened in it.
  next.querySelector("[data-log]")?.replaceWith(log);
  page.replaceWith(document.adoptNode(next));
  if (following) scrollTo({ top: 0 });
  announcer.textContent = next.dataset.sayEnded;
  document.title = document.hidden ? `● ${fresh.title}` : fresh.title;
  document.addEventListener("visibilitychange", () => (document.title = fresh.title), { once: true });
}

async function poll() {
  try {
    const fresh = await ask(`${words.status}?after=${last}`);
    const part = fresh.querySelector("[data-fragment]");
    lost = false;
    for (const step of [...part.querySelectorAll(".step")]) {
      placeStep(document.adoptNode(step));
      silent = 0;
    }
    last = Number(part.dataset.last);
    if (part.dataset.state === "succeeded" || part.dataset.state === "failed") return void finish();
    takeStatus(document.adoptNode(part.querySelector("[data-status-line]")));
    setTimeout(poll, POLL);
  } catch {
    lost = true;
    tell();
    setTimeout(poll, POLL_AFTER_FAULT);
  }
}

function follow() {
  source = new EventSource(`${words.events}?after=${last}`);
  source.addEventListener("progress", (event) => {
    const data = JSON.parse(event.data);
    takeStep(data.sequence, data.html);
  });
  source.addEventListener("status", (event) => takeStatus(fragment(JSON.parse(event.data).html).firstElementChild));
  source.addEventListener("terminal", () => {
    source.close();
    finish();
  });
  source.addEventListener("open", () => (lost = false));
  source.addEventListener("error", () => {
    lost = true;
    tell();
    // The browser reconnects by itself unless the server refused.
    if (source.readyState === EventSource.CLOSED && !over) poll();
  });
}

seconds = Number(page.querySelector("[data-status-line]").dataset.seconds);
const clock = setInterval(tick, 1_000);
if ("EventSource" in window) follow();
else poll();
