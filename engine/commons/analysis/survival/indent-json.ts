import { endOfText } from '../../../shared/input/json-bounds.ts'

const QUOTE = 0x22
const BLANK = 0x20
const LINE_BREAK = 0x0a
const COMMA = 0x2c
const COLON = 0x3a

const isOpening = (byte: number | undefined) => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number | undefined) => byte === 0x7d || byte === 0x5d

/**
 * Indents compact JSON by two spaces per level, like JSON.stringify, and leaves numbers unchanged. The JSON may
 * be passed in parts that are not split within a string, a number, or an empty array or object.
 * @param depth number of arrays and objects that are open at the start of the part
 */
export function indentJson(text: Uint8Array, depth: number): Uint8Array<ArrayBuffer> {
  // The first pass only computes the length, which depends on the nesting depth.
  const indented = new Uint8Array(place(text, depth, undefined))
  place(text, depth, indented)
  return indented
}

/** Writes indented JSON into the buffer, if given. Returns its length. */
function place(text: Uint8Array, outer: number, into: Uint8Array | undefined): number {
  let at = 0
  let depth = outer
  const put = (byte: number) => {
    if (into) into[at] = byte
    at++
  }
  const newLine = () => {
    put(LINE_BREAK)
    into?.fill(BLANK, at, at + 2 * depth)
    at += 2 * depth
  }
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!
    if (byte === QUOTE) {
      const end = endOfText(text, i + 1) + 1
      into?.set(text.subarray(i, end), at)
      at += end - i
      i = end - 1
    } else if (isOpening(byte)) {
      put(byte)
      if (isClosing(text[i + 1])) put(text[++i]!)
      else {
        depth++
        newLine()
      }
    } else if (isClosing(byte)) {
      depth--
      newLine()
      put(byte)
    } else {
      put(byte)
      if (byte === COMMA) newLine()
      if (byte === COLON) put(BLANK)
    }
  }
  return at
}
