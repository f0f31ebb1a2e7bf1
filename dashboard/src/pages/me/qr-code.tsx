import makeCode from 'qrcode-generator';
import { useMemo, type ReactNode } from 'react';
import styles from './me.module.css';

/** The quiet zone around the code, in modules (ISO/IEC 18004). */
const margin = 4;

/** Draws a text as a QR code. The text stays in the page. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg className={styles.qrCode} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}

function draw(text: string): { size: number; path: string } {
  // A screen is never torn or dirty, so that the lowest correction is enough, and the modules are larger.
  const code = makeCode(0, 'L');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const indices = Array.from({ length: count }, (_, index) => index);
  const squares = indices.flatMap((row) =>
    indices.filter((column) => code.isDark(row, column)).map((column) => `M${column + margin} ${row + margin}h1v1h-1z`),
  );
  return { size: count + 2 * margin, path: squares.join('') };
}
