import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The server whose data `npm run portal` shows. */
const serverUrl = process.env.TENURE_BASE_URL ?? 'http://127.0.0.1:4000';

export default defineConfig({
  root: import.meta.dirname,
  // Paths are relative to the importing file, so that the bundle works below any path of a proxy.
  base: './',
  cacheDir: join(import.meta.dirname, '../node_modules/.cache/vite-portal'),
  // `npm run portal` serves the sources, and sends all requests to a running server. The server must see its own origin.
  server: { proxy: { '^/v1/': { target: serverUrl, changeOrigin: true, headers: { origin: serverUrl } } } },
  build: {
    // The oldest browsers with `light-dark()` in CSS.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Files are cached for ever by their names.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
