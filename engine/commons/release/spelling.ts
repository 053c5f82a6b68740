import type { Column } from './loaded.ts'

/**
 * Returns a text in its original spelling, which is restored from the folded text and the positions of
 * upper-case letters. If the spelling varies between documents, the text is in lower case.
 */
export function spelledText({ dictionary, ends, upper }: Column, code: number): string {
  const text = dictionary.text(code)
  return upper && ends ? raised(Buffer.from(text), upper, ends[code - 1]!) : text
}

/** @param upper bitmap of upper-case bytes; the text starts at bit `start` */
function raised(text: Buffer, upper: Uint8Array, start: number): string {
  for (let i = 0; i < text.length; i++) {
    const at = start + i
    if (((upper[at >>> 3]! >> (at & 7)) & 1) === 1) text[i] = text[i]! - 0x20
  }
  return text.toString()
}
