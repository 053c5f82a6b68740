import { EngineError } from '../../shared/errors.ts'
import type { FieldType } from '../datasets/define.ts'
import type { FinishedColumn } from './column-encoder.ts'
import { foldText } from './fold.ts'
import { TextValues } from './text-values.ts'
import { UpperLetters } from './upper-letters.ts'
import { escapedIn } from './written-values.ts'

/** Collects the ids of the records, which already ascend. */
export class IdentityEncoder {
  readonly #type: FieldType
  readonly #field: string
  #rows = 0
  readonly #values = new TextValues()
  readonly #upper = new UpperLetters()
  /** Bytes of the last id, in memory that the next one overwrites. */
  #last = Buffer.alloc(64)
  #lastLength = 0

  constructor(field: string, type: FieldType) {
    this.#field = field
    this.#type = type
  }

  /**
   * Adds the id of the next record.
   * @throws EngineError bad_input if it is missing or not above the previous one, after folding
   */
  add(value: string, line: number): void {
    if (value === '') {
      throw new EngineError('bad_input', `line ${line} has no text in "${this.#field}"`)
    }
    const id = Buffer.from(foldText(this.#type, value))
    this.#prove(id, 0, id.length, line)
    this.#upper.addText(this.#values.codeOf(id, 0, id.length), value, id)
    // Strictly ascending ids are distinct.
    this.#values.trustDistinct()
  }

  /**
   * Adds an id of printable ASCII without upper-case letters, which is its own folded form, as bytes of the
   * document. Nearly all ids are like that.
   * @throws EngineError bad_input if it is not above the previous one
   */
  addPlain(bytes: Buffer, start: number, end: number, line: number): void {
    this.#prove(bytes, start, end, line)
    this.#upper.addLower(this.#values.codeOf(bytes, start, end))
    this.#values.trustDistinct()
  }

  /** Proves that an id is above the last one, and remembers it. */
  #prove(id: Buffer, start: number, end: number, line: number): void {
    const order = this.#rows === 0 ? 1 : id.compare(this.#last, 0, this.#lastLength, start, end)
    if (order <= 0) {
      const how = order === 0 ? 'the same id as' : 'an id below that of'
      throw new EngineError(
        'bad_input',
        `line ${line} has ${how} the record before it; sort by "${this.#field}" (UTF-8 bytes, ` +
          `as the field folds them) and give each record once`,
      )
    }
    this.#rows++
    this.#lastLength = end - start
    if (this.#lastLength > this.#last.length) this.#last = Buffer.alloc(2 * this.#lastLength)
    id.copy(this.#last, 0, start, end)
  }

  finish(): FinishedColumn {
    const { facts, arrays, ranks } = this.#values.pack()
    const ends = arrays.ends instanceof Uint32Array ? arrays.ends : undefined
    const upper = this.#upper.take(ends, ranks)
    const column = {
      layout: {
        level: '',
        kind: 'text' as const,
        distinct: this.#rows,
        multi: false,
        identity: true,
        ordered: false,
      },
      facts,
      arrays,
    }
    const written = {
      nulls: new Int32Array(0),
      nullCount: 0,
      without: 0,
      isWhole: this.#upper.agrees,
      hasSeveral: false,
      upper,
      escaped: ends ? escapedIn(arrays.bytes) : 0,
      isInteger: false,
    }
    return { column, written }
  }
}
