// The token is behind the `#`, which no server sees. The form sends it when a person presses the button, so a preview opens nothing.
const [, token = ''] = location.hash.split('#');
for (const field of document.querySelectorAll('input[name="token"]')) if (field.value === '') field.value = token;
for (const part of document.querySelectorAll('[data-with-script]')) part.hidden = false;
