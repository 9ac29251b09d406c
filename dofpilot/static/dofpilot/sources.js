// Citations and their passages: hovering points one out, a click opens it beside the answer.
// Everything is delegated, so that it also holds for what arrives later.

const wide = window.matchMedia("(min-width: 1000px)");

const linkOf = (event) => event.target.closest?.("[data-source]");
const cardOf = (link) => document.getElementById(`fuente-${link.dataset.source}`);

function light(number, lit) {
  for (const part of document.querySelectorAll(`[data-source="${number}"], [data-card="${number}"]`)) {
    part.classList.toggle("lit", lit);
  }
}

for (const [type, lit] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(type, (event) => {
    const link = linkOf(event);
    if (link) light(link.dataset.source, lit);
  });
}

function putAway() {
  const card = document.querySelector(".card.peek");
  if (!card) return;
  card.classList.remove("peek");
  document.querySelector(`.cite[data-source="${card.dataset.card}"]`)?.focus({ preventScroll: true });
}

function open(card, link) {
  putAway();
  card.open = true;
  if (!wide.matches) card.classList.add("peek");
  // Only the column, or the card itself, scrolls: to the words that support the answer.
  const box = wide.matches ? card.closest(".sources") : card;
  const top = (element) => element.getBoundingClientRect().top;
  const room = Math.min(box.getBoundingClientRect().bottom, window.innerHeight) - top(box);
  const words = card.querySelector("mark");
  const far = words && top(words) - top(card) > room - 80;
  box.scrollTop += far ? top(words) - top(box) - room / 2 : top(card) - top(box) - 8;
  card.querySelector("summary").focus({ preventScroll: true });
  if (!wide.matches) uncover(link, card);
}

function uncover(link, card) {
  const hidden = link.getBoundingClientRect().bottom + 24 - card.getBoundingClientRect().top;
  if (hidden > 0) window.scrollBy(0, hidden);
}

document.addEventListener("click", (event) => {
  const link = linkOf(event);
  if (link) {
    const card = cardOf(link);
    if (!card) return;
    event.preventDefault();
    open(card, link);
    return;
  }
  const peeking = document.querySelector(".card.peek");
  if (!peeking) return;
  if (event.target.closest(".card.peek > summary")) {
    event.preventDefault();
    putAway();
  } else if (!peeking.contains(event.target)) {
    putAway();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") putAway();
});
wide.addEventListener("change", putAway);
