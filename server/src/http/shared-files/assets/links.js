// The token is behind the `#`, which no server sees. The form sends it when a person presses the button, so a preview opens nothing.
const [, token = ''] = location.hash.split('#');
for (const field of document.querySelectorAll('input[name="token"]')) if (field.value === '') field.value = token;
for (const part of document.querySelectorAll('[data-with-script]')) part.hidden = false;

// A picture is loaded by the form of its button, because no address opens it.
for (const picture of document.querySelectorAll('[data-picture]')) {
  const form = document.querySelector('form');
  const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  if (!response.ok) continue;
  picture.src = URL.createObjectURL(await response.blob());
  picture.hidden = false;
}
