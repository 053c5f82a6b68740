import { HexTable } from './hex-table.ts'
import { hexFormOf } from './text-form.ts'
import { TextTable } from './text-table.ts'
import type { PackedValues, ValueTable } from './value-table.ts'

/** Texts, packed into 16 bytes as long as all have the same hexadecimal form, otherwise stored in UTF-8. */
export class TextValues implements ValueTable {
  #hex: HexTable | undefined
  #texts: TextTable | undefined

  /** Returns the code of the text `source[start … end - 1]`. */
  codeOf(source: Uint8Array, start: number, end: number): number {
    if (this.#texts) return this.#texts.codeOf(source, start, end)
    const form = this.#hex?.form ?? hexFormOf(end - start)
    if (form) this.#hex ??= new HexTable(form)
    const code = this.#hex?.codeOf(source, start, end) ?? 0
    if (code !== 0) return code
    this.#texts = this.#unpacked()
    return this.#texts.codeOf(source, start, end)
  }

  /** Converts the texts so far to UTF-8 with the same codes. */
  #unpacked(): TextTable {
    const texts = new TextTable()
    if (this.#hex && !this.#hex.isDistinct) texts.trustDistinct()
    for (let code = 1; this.#hex && code <= this.#hex.size; code++) {
      const bytes = Buffer.from(this.#hex.text(code))
      texts.codeOf(bytes, 0, bytes.length)
    }
    this.#hex = undefined
    return texts
  }

  /** Stops the search for duplicates. Call it only if there are no duplicates. */
  trustDistinct(): void {
    this.#texts?.trustDistinct()
    this.#hex?.trustDistinct()
  }

  pack(): PackedValues {
    return (this.#texts ?? this.#hex ?? new TextTable()).pack()
  }
}
