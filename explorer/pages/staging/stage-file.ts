import { tsvLine } from '../../parts/tsv.ts'
import { retried } from '../../service/retried.ts'
import { jsonLines, type Service } from '../../service/service.ts'
import { type FileCase, readCases, wholeRows } from './case-file.ts'
import { readInputs, type Staged, stageManyRequest, type Version } from './staging-data.ts'

/** A case of a file with its result, in the form in which it is saved. */
export interface FileResult {
  readonly line: number
  readonly inputs: Readonly<Record<string, string>>
  /** `STAGED`, another result of the service, or `INVALID_INPUT` for a row that is not a case. */
  readonly result: string
  readonly schema_id?: string
  readonly output: Readonly<Record<string, string>>
  /** Errors of the case, and remarks on its result. */
  readonly messages: readonly string[]
}

/** Counts and results of a file, updated while the file is being staged. */
export interface FileProgress {
  readonly cases: number
  readonly bytes: number
  readonly results: ReadonlyMap<string, number>
  /** Counts of values by input or output. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The first cases that were not staged. */
  readonly failures: readonly FileResult[]
  /** All results as JSON lines. */
  readonly lines: Blob
}

export interface StageFile {
  readonly service: Pick<Service, 'fetch'>
  readonly version: Version
  readonly file: Blob
  readonly onProgress: (progress: FileProgress) => void
  readonly signal: AbortSignal
}

const STAGED = 'STAGED'
const BATCH_CASES = 500
/** Maximum number of failures to show. The saved results contain all failures. */
export const MAX_FAILURES = 10_000
/** Maximum number of values to count for an input or output. Ids and dates have too many values for a table. */
const MAX_VALUES = 500
const OTHERS = '(others)'
/** Number of results that are joined into one part of the blob, which the browser may store on disk. */
const MAX_WAITING = 2000

/**
 * Stages the cases of a file part by part, in bounded memory.
 * @returns the final counts
 * @throws Error as readCases; ServiceError with the service's message; AbortError
 */
export async function stageFile(asked: StageFile): Promise<FileProgress> {
  const { file, onProgress, signal } = asked
  const tally = new Tally()
  for await (const { cases, bytes } of readCases(file)) {
    for (let start = 0; start < cases.length; start += BATCH_CASES) {
      for (const one of await stageCases(asked, cases.slice(start, start + BATCH_CASES))) {
        tally.add(one)
      }
      signal.throwIfAborted()
      onProgress(tally.progress(bytes))
    }
  }
  return tally.progress(file.size)
}

async function stageCases(
  { service, version, signal }: StageFile,
  cases: readonly FileCase[],
): Promise<readonly FileResult[]> {
  const read = cases.map(({ line, fault, inputs: typed }) => {
    const { codes: inputs, questions } = readInputs(typed)
    return { line, fault, inputs, questions }
  })
  const asked = read.filter(({ fault, questions }) => !fault && questions.length === 0)
  const request = stageManyRequest(
    version,
    asked.map(({ inputs }) => ({ ...inputs })),
  )
  const send = async () => jsonLines(await (await service.fetch(request, signal)).text())
  const answers = asked.length === 0 ? [] : ((await retried(send, signal)) as LineAnswer[])
  const byLine = new Map(asked.map(({ line }, index) => [line, answers[index]]))
  return read.map(({ line, inputs, fault, questions }) => {
    const answer = byLine.get(line)
    const common = { line, inputs }
    if (answer === undefined || 'error' in answer) {
      const failure = fault ?? answer?.error.message
      const messages = failure === undefined ? questions : [failure]
      return { ...common, result: 'INVALID_INPUT', output: {}, messages }
    }
    const { result, schema_id, output, errors } = answer
    const messages = errors.map(({ message }) => message)
    return { ...common, result, ...(schema_id && { schema_id }), output, messages }
  })
}

type LineAnswer = Staged | { readonly error: { readonly message: string } }

/** Counts results, and keeps them as lines. */
export class Tally {
  readonly #results = new Map<string, number>()
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #failures: FileResult[] = []
  #lines = new Blob([])
  #waiting: string[] = []
  #cases = 0

  add(one: FileResult): void {
    this.#cases++
    increase(this.#results, one.result)
    if (one.result !== STAGED && this.#failures.length < MAX_FAILURES) this.#failures.push(one)
    for (const [name, value] of Object.entries({ ...one.inputs, ...one.output })) {
      const counts = this.#counts.get(name) ?? new Map<string, number>()
      this.#counts.set(name, counts)
      increase(counts, counts.has(value) || counts.size < MAX_VALUES ? value : OTHERS)
    }
    this.#waiting.push(`${JSON.stringify(one)}\n`)
    if (this.#waiting.length === MAX_WAITING) this.#flush()
  }

  progress(bytes: number): FileProgress {
    this.#flush()
    return {
      cases: this.#cases,
      bytes,
      results: new Map(this.#results),
      counts: this.#counts,
      failures: [...this.#failures],
      lines: this.#lines,
    }
  }

  #flush(): void {
    if (this.#waiting.length === 0) return
    this.#lines = new Blob([this.#lines, ...this.#waiting])
    this.#waiting = []
  }
}

const increase = (counts: Map<string, number>, name: string) =>
  counts.set(name, (counts.get(name) ?? 0) + 1)

/** Columns of the saved table that come before the inputs and outputs. */
const FIRST_COLUMNS = ['line', 'result', 'schema_id', 'messages'] as const

/** Writes results as a table: a row for each case, with all inputs and outputs that occur. */
export async function resultTable({ lines, counts }: FileProgress): Promise<Blob> {
  const names = [...counts.keys()]
  const parts: Blob[] = [new Blob([tsvLine([...FIRST_COLUMNS, ...names])])]
  let rows: string[] = []
  for await (const one of resultsOf(lines)) {
    const values = { ...one.inputs, ...one.output }
    const { line, result, schema_id = '', messages } = one
    const first = [line, result, schema_id, messages.join('; ')]
    rows.push(tsvLine([...first, ...names.map((name) => values[name])]))
    if (rows.length < MAX_WAITING) continue
    parts.push(new Blob(rows))
    rows = []
  }
  return new Blob([...parts, ...rows])
}

async function* resultsOf(lines: Blob): AsyncGenerator<FileResult> {
  for await (const { text } of wholeRows(lines)) yield* jsonLines(text) as FileResult[]
}
