import type { CodeEdits, CodeEvent, CodeReads, CodeRepository, StoredCode } from '../repository.ts'
import { CHANGES, type Change, type CodeImport } from './import-run.ts'
import type { CodeGroup, RowSpool } from './row-spool.ts'

/** Effect of an import on one record. */
export interface Outcome {
  readonly change: Change | 'same'
  /** The record to store. Undefined if it does not change. */
  readonly record?: Omit<StoredCode, 'revision'> | undefined
  /** JSON of the record before the change. Undefined if it did not exist. */
  readonly old?: string | undefined
}

/** Decides what to do with a record that is known, listed in the tables, or both. */
type Decide<Row> = (known: StoredCode | undefined, group: CodeGroup<Row> | undefined) => Outcome

export interface GroupLoad<Row> {
  readonly repository: CodeRepository
  readonly spool: RowSpool<Row>
  readonly decide: Decide<Row>
  readonly date: string
  /** Comment for the history entries. */
  readonly comment: string
}

/** Record counts by change. */
export type RecordCounts = Readonly<Record<Change | 'same', number>>

/** Number of records to collect before they are stored together. */
const MAX_HELD = 500

/** Stores the rows with a history entry for each change. A dry run stores nothing. */
export async function loadGroups<Row>(
  load: GroupLoad<Row>,
  run: CodeImport,
): Promise<RecordCounts> {
  const { repository } = load
  if (run.dryRun) {
    return repository.snapshot((reads) => decideAll(load, run, { reads, store: async () => {} }))
  }
  const counts = await repository.transaction(async (edits) => {
    const storing = new Storing(edits, run.user, load)
    const counts = await decideAll(load, run, {
      reads: edits,
      store: (outcome, known) => storing.store(outcome, known),
    })
    await storing.flush()
    return counts
  })
  await repository.learn(counts.added + counts.changed)
  return counts
}

/** Stores outcomes under one revision, a few hundred at a time. */
class Storing {
  readonly #edits: CodeEdits
  /** Editor, time and comment of all history entries. */
  readonly #of: Pick<CodeEvent, 'user' | 'date' | 'comment'>
  #revision: number | undefined
  #records: StoredCode[] = []
  #events: CodeEvent[] = []

  constructor(
    edits: CodeEdits,
    user: string,
    { date, comment }: { readonly date: string; readonly comment: string },
  ) {
    this.#edits = edits
    this.#of = { user, date, comment }
  }

  async store({ change, record, old }: Outcome, known: StoredCode | undefined): Promise<void> {
    if (!record) return
    this.#revision ??= await this.#edits.nextRevision()
    this.#records.push({ ...record, revision: this.#revision })
    const type: CodeEvent['type'] = known ? 'MOD' : 'ADD'
    if (change !== 'same') this.#events.push({ ...this.#of, code: record.code, type, old })
    if (this.#records.length >= MAX_HELD) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#revision === undefined) return
    const [records, events] = [this.#records, this.#events]
    this.#records = []
    this.#events = []
    await this.#edits.put(records)
    await this.#edits.addEvents(this.#revision, events)
  }
}

interface LoadTarget {
  readonly reads: CodeReads
  readonly store: (outcome: Outcome, known: StoredCode | undefined) => Promise<void>
}

async function decideAll<Row>(
  { spool, decide }: GroupLoad<Row>,
  { onChange, onProgress }: CodeImport,
  { reads, store }: LoadTarget,
): Promise<RecordCounts> {
  const counts = Object.fromEntries([...CHANGES, 'same'].map((name) => [name, 0])) as {
    [Name in Change | 'same']: number
  }
  let done = 0
  for await (const { known, group } of joined(reads.records(), spool.groups())) {
    const outcome = decide(known, group)
    const { change } = outcome
    // A record that no table lists, now or earlier, does not belong to this import.
    if (group || change !== 'same') counts[change]++
    if (change !== 'same') onChange?.({ code: known?.code ?? group?.code ?? '', change })
    await store(outcome, known)
    done += group?.rows.length ?? 0
    onProgress?.({ phase: 'storing', done, total: spool.size })
  }
  return counts
}

/** The stored record and the rows of one code. At least one of them is present. */
interface Joined<Row> {
  /** The stored record. */
  readonly known?: StoredCode | undefined
  /** The rows in the tables. */
  readonly group?: CodeGroup<Row> | undefined
}

/** Merges two sequences, both in ascending order of codes. */
async function* joined<Row>(
  records: AsyncIterator<StoredCode>,
  groups: Iterator<CodeGroup<Row>>,
): AsyncGenerator<Joined<Row>> {
  let known = valueIn(await records.next())
  let group = valueIn(groups.next())
  while (known || group) {
    const isKnown = known && (!group || known.code <= group.code)
    const isGiven = group && (!known || group.code <= known.code)
    yield { known: isKnown ? known : undefined, group: isGiven ? group : undefined }
    if (isKnown) known = valueIn(await records.next())
    if (isGiven) group = valueIn(groups.next())
  }
}

function valueIn<T>({ done, value }: IteratorResult<T>): T | undefined {
  return done ? undefined : value
}
