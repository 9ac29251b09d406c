// The ask form: how many characters are left, and no second submit while the first is on its way.

const form = document.querySelector("[data-ask]");
const text = form.querySelector("[data-count]");
const counter = document.getElementById(text.dataset.count);
const button = form.querySelector("button");
const label = button.textContent;
const number = new Intl.NumberFormat("es-MX");

function count() {
  const max = Number(counter.dataset.max);
  counter.hidden = text.value.length === 0;
  counter.textContent = `${number.format(text.value.length)} / ${number.format(max)}`;
  counter.classList.toggle("near", text.value.length > max * 0.9);
}

text.addEventListener("input", count);
count();

form.addEventListener("submit", () => {
  button.disabled = true;
  button.textContent = button.dataset.busy;
});

// Back from the next page, the browser may show this one as it was left.
window.addEventListener("pageshow", () => {
  button.disabled = false;
  button.textContent = label;
});
