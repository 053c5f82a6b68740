import type { CodeEvent, CodeRepository, StoredCode } from '../repository.ts'
import { CHANGES, type Change, type CodeImport } from './import-run.ts'
import type { CodeGroup, RowSpool } from './row-spool.ts'

/** What an import makes of one record. */
export interface Outcome {
  readonly change: Change | 'same'
  /** What is to be stored of it; left out where nothing is. */
  readonly record?: Omit<StoredCode, 'revision'> | undefined
  /** The JSON of the record before, where there was one. */
  readonly old?: string | undefined
}

/** Judges a record that is known, or that rows name, or both. */
export type Judge<Row> = (
  known: StoredCode | undefined,
  group: CodeGroup<Row> | undefined,
) => Outcome

export interface GroupLoad<Row> {
  readonly repository: CodeRepository
  readonly spool: RowSpool<Row>
  readonly judge: Judge<Row>
  readonly date: string
  /** For the history. */
  readonly comment: string
}

/** Records by what becomes of them. */
export type RecordCounts = Readonly<Record<Change | 'same', number>>

/** Stores what rows say, with an entry in the history for each change: all of it or, of a dry run, none. */
export function loadGroups<Row>(load: GroupLoad<Row>, run: CodeImport): RecordCounts {
  return run.dryRun ? judgeAll(load, run) : load.repository.transaction(() => judgeAll(load, run))
}

function judgeAll<Row>(load: GroupLoad<Row>, run: CodeImport): RecordCounts {
  const { repository, spool, judge, date, comment } = load
  const { user, dryRun, onChange, onProgress } = run
  const counts = Object.fromEntries([...CHANGES, 'same'].map((name) => [name, 0])) as {
    [Name in Change | 'same']: number
  }
  let revision: number | undefined
  let done = 0
  for (const { known, group } of joined(repository.records(), spool.groups())) {
    const { change, record, old } = judge(known, group)
    // What no table has, and had not before, is none of this import's affair.
    if (group || change !== 'same') counts[change]++
    if (change !== 'same') onChange?.({ code: known?.code ?? group?.code ?? '', change })
    if (record && !dryRun) {
      revision ??= repository.nextRevision()
      repository.put({ ...record, revision })
      const type: CodeEvent['type'] = known ? 'MOD' : 'ADD'
      const event = { code: record.code, type, date, user, comment, old }
      if (change !== 'same') repository.addEvent(revision, event)
    }
    done += group?.rows.length ?? 0
    onProgress?.({ phase: 'storing', done, total: spool.size })
  }
  return counts
}

interface Joined<Row> {
  readonly known?: StoredCode | undefined
  readonly group?: CodeGroup<Row> | undefined
}

/** Brings together what goes by ascending codes on both sides. */
function* joined<Row>(
  records: Iterator<StoredCode>,
  groups: Iterator<CodeGroup<Row>>,
): Generator<Joined<Row>> {
  let known = nextOf(records)
  let group = nextOf(groups)
  while (known || group) {
    const isKnown = known && (!group || known.code <= group.code)
    const isGiven = group && (!known || group.code <= known.code)
    yield { known: isKnown ? known : undefined, group: isGiven ? group : undefined }
    if (isKnown) known = nextOf(records)
    if (isGiven) group = nextOf(groups)
  }
}

function nextOf<T>(all: Iterator<T>): T | undefined {
  const { done, value } = all.next()
  return done ? undefined : value
}
