// The ask form: how many characters are left, no second submit while the first is on its way, and a draft
// that outlives looking whether questions are let in again.

const form = document.querySelector("[data-ask]");
const text = form.querySelector("[data-count]");
const counter = document.getElementById(text.dataset.count);
const button = form.querySelector("button");
const label = button.textContent;
const number = new Intl.NumberFormat("es-MX");
const closed = "closed" in form.dataset;
const DRAFT = "dofpilot-draft";

function count() {
  const max = Number(counter.dataset.max);
  counter.hidden = text.value.length === 0;
  counter.textContent = `${number.format(text.value.length)} / ${number.format(max)}`;
  counter.classList.toggle("near", text.value.length > max * 0.9);
}

// Only this tab keeps it, and only while it cannot be sent.
text.value ||= sessionStorage.getItem(DRAFT) ?? "";
if (!closed) sessionStorage.removeItem(DRAFT);
window.addEventListener("pagehide", () => {
  if (closed) sessionStorage.setItem(DRAFT, text.value);
});

text.addEventListener("input", count);
count();

form.addEventListener("submit", (event) => {
  // Enter in a field submits although the button is disabled.
  if (closed) event.preventDefault();
  button.disabled = true;
  button.textContent = closed ? label : button.dataset.busy;
});

// Back from the next page, the browser may show this one as it was left.
window.addEventListener("pageshow", () => {
  button.disabled = closed;
  button.textContent = label;
});
