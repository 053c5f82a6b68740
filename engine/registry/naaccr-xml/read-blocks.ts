import { isUtf8 } from 'node:buffer'
import { EngineError } from '../../shared/errors.ts'
import { type Bridge, bridgesOf } from './bridged-items.ts'
import { Definitions, UNREADABLE } from './dictionary.ts'
import type { FileForm } from './file-form.ts'
import { FixedColumns } from './fixed-columns.ts'
import type { ItemFault, Patient } from './model.ts'
import { PlainPatients } from './plain-patients.ts'
import { type BlockPlace, STEP_BYTES } from './split-file.ts'
import { Structure } from './structure.ts'
import { Utf8Steps } from './utf8-steps.ts'

/** The end of a block, after its patients. */
export interface BlockEnd {
  /** The error that ended the file there. */
  readonly error?: EngineError
  /** Faults of items outside patients. */
  readonly rootFaults: readonly ItemFault[]
  /** Line on which the next patient starts, as far as it is known. */
  readonly nextLine: number
  /** Text after the last patient. Empty unless texts are kept. */
  readonly rest: string
}

/** Reads the blocks of a file. It is prepared once for all of them. */
export class BlockReader {
  readonly form: FileForm
  readonly definitions: Definitions
  readonly used: ReadonlySet<string>
  /** Items of the file that stand for used items which the file cannot contain. */
  readonly bridges: readonly Bridge[]
  readonly #replaceable: ReadonlySet<string> | undefined
  readonly #otherPrefixes: ReadonlySet<string>
  readonly #plain: PlainPatients | undefined

  constructor(form: FileForm) {
    const { items, used, replaceable, otherPrefixes, kind, prefix, isXml11 } = form
    this.form = form
    this.definitions = new Definitions([{ uri: '', items }])
    this.used = new Set(used)
    this.bridges = bridgesOf(this.used, this.definitions)
    this.#replaceable = replaceable && new Set(replaceable)
    this.#otherPrefixes = new Set(otherPrefixes)
    const bridgedItems = this.bridges.map(({ given }) => given)
    if (kind === 'xml' && prefix === '' && !isXml11) {
      this.#plain = new PlainPatients({
        items,
        recordType: form.head.recordType,
        replaceable: this.#replaceable,
        used: new Set([...used, ...bridgedItems, ...(replaceable ?? [])]),
      })
    }
  }

  /**
   * Yields the patients of a block. An error of the file follows all patients before it. Unless the file is read
   * strictly, bytes that are not UTF-8 are a fault of their item.
   */
  *patients(given: Buffer, place: BlockPlace): Generator<Patient, BlockEnd> {
    const { kind, strict } = this.form
    const isText = isUtf8(given)
    const bytes = strict || isText ? given : Buffer.from(given.toString())
    if (kind === 'fixed') return yield* this.#fixed(bytes, place)
    const isRefused = strict && !isText
    if (!this.#plain || place.isFirst || isRefused) return yield* this.#structured(bytes, place)
    const { end, ...at } = yield* this.#plain.read(bytes, place)
    if (end === bytes.length && place.end === 'patient') {
      return { rootFaults: [], nextLine: at.line, rest: '' }
    }
    return yield* this.#structured(bytes.subarray(end), { ...place, ...at })
  }

  *#structured(bytes: Buffer, place: BlockPlace): Generator<Patient, BlockEnd> {
    const { head, prefix, strict, isXml11 } = this.form
    const structure = new Structure(
      {
        definitions: this.definitions,
        recordType: head.recordType,
        prefix,
        isXml11,
        strict,
        otherPrefixes: this.#otherPrefixes,
        replaceable: this.#replaceable,
      },
      place.isFirst ? undefined : place,
    )
    let error: EngineError | undefined
    try {
      for (const text of this.#textsOf(bytes, place)) {
        structure.write(text)
        yield* structure.take()
      }
      if (place.end === 'patient') structure.endAtPatient()
      if (place.end === 'file') structure.end()
      if (place.end === 'cut') throw structure.tooLarge()
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause
      error = cause
    }
    yield* structure.take()
    const { rootFaults, nextLine, rest } = structure
    return { rootFaults, nextLine, rest, ...(error && { error }) }
  }

  *#fixed(bytes: Buffer, place: BlockPlace): Generator<Patient, BlockEnd> {
    const { head } = this.form
    const { definitions } = this
    const reader = new FixedColumns({ head, definitions, replaceable: this.#replaceable }, place)
    let error: EngineError | undefined
    try {
      for (const text of this.#textsOf(bytes, place)) yield* reader.write(text)
      yield* reader.end()
    } catch (cause) {
      if (!(cause instanceof EngineError)) throw cause
      error = cause
    }
    const { rootFaults, nextLine, rest } = reader
    return { rootFaults, nextLine, rest, ...(error && { error }) }
  }

  /**
   * Decodes bytes in steps.
   * @throws EngineError `bad_input` after the text before the first invalid bytes
   */
  *#textsOf(bytes: Buffer, { isFirst }: BlockPlace): Generator<string> {
    const steps = new Utf8Steps(isFirst)
    for (const part of [...partsOf(bytes), undefined]) {
      const { text, error } = steps.decode(part)
      if (text !== '') yield this.form.strict ? text : text.replace(FORBIDDEN, UNREADABLE)
      if (error) throw error
    }
  }
}

/** Characters that XML 1.0 forbids. */
const FORBIDDEN = /[^\t\n\r -\uFFFD]/g

function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    yield bytes.subarray(start, start + STEP_BYTES)
  }
}
