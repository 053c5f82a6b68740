import type { Column } from './loaded.ts'

/**
 * A text of a column as documents have it: keywords are folded there, and which of their letters were
 * upper case is noted beside. Where documents do not agree, it is in lower case.
 */
export function spelledText({ dictionary, ends, upper }: Column, code: number): string {
  const text = dictionary.text(code)
  return upper && ends ? raised(Buffer.from(text), upper, ends[code - 1]!) : text
}

/** @param upper one bit per byte, from bit `start` */
function raised(text: Buffer, upper: Uint8Array, start: number): string {
  for (let i = 0; i < text.length; i++) {
    const at = start + i
    if (((upper[at >>> 3]! >> (at & 7)) & 1) === 1) text[i] = text[i]! - 0x20
  }
  return text.toString()
}
