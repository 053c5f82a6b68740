import { EngineError } from '../../shared/errors.ts'
import { checkComment } from '../edit-comment.ts'
import { errorIn } from '../error-in.ts'
import type { Status } from './answers.ts'
import { parseRecordBody } from './bodies.ts'
import type { RecordContent } from './definition.ts'
import { Edit } from './edit.ts'
import { isSame, publishCopy, type WantedRecord, wantedCopy } from './states.ts'
import { DEVELOPMENT, type StoredCopies, type StoredItem, type StoredRecord } from './stored.ts'
import type { PublishingSources } from './versions.ts'

/** Options for loading records. */
export interface LoadRequest {
  /** The loader's name in histories. */
  readonly user: string
  readonly description?: string | undefined
  /** Status of new records whose body has none. By default READY. */
  readonly status?: Status | undefined
  /** Whether to publish the records. By default true. */
  readonly publish?: boolean | undefined
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean | undefined
  /** Names a record in error messages by its position. Defaults to `[0]`, `[1]`, ... */
  readonly placeOf?: ((index: number) => string) | undefined
}

/** Ids of the records, by outcome. */
export interface Loaded {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly same: readonly string[]
}

type Outcome = keyof Loaded

/** Stores many records in one transaction. */
export class Loading<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>

  constructor(sources: PublishingSources<Content>) {
    this.#sources = sources
  }

  async load(bodies: Iterable<unknown>, request: LoadRequest): Promise<Loaded> {
    checkComment(request.description, 'description')
    const { repository, clock } = this.#sources
    const loaded = await repository.transaction(async (edits) => {
      const { user, description } = request
      const edit = new Edit(edits, { user, description, date: clock().toISOString() })
      const outcomes = new Map<string, Outcome>()
      for (const some of chunks(this.#given(bodies, request))) {
        const copies = await edits.copies(some.map(({ id }) => id))
        await loadSome(edit, { some, copies, outcomes, request })
      }
      await edit.finish()
      return byOutcome(outcomes)
    })
    if (!request.dryRun) await repository.learn(loaded.added.length + loaded.changed.length)
    return loaded
  }

  /** Yields the parsed bodies in order and refuses duplicate ids. */
  *#given(bodies: Iterable<unknown>, { placeOf }: LoadRequest): Generator<Given> {
    const ids = new Set<string>()
    let index = 0
    for (const body of bodies) {
      const at = placeOf?.(index) ?? `[${index}]`
      index++
      const given = inPlace(at, () => this.#parse(body))
      if (ids.has(given.id)) {
        const message = `"${at}.id" is "${given.id}", which an earlier record has`
        throw new EngineError('bad_input', message, { at: `${at}.id` })
      }
      ids.add(given.id)
      yield given
    }
  }

  #parse(given: unknown): Given {
    const body = parseRecordBody(given)
    const { id } = body
    if (id === undefined) {
      throw new EngineError('bad_input', '"id" is missing; give each record one', { at: 'id' })
    }
    return { id, body, content: this.#sources.definition.parse(given) }
  }
}

/** A parsed body. */
interface Given extends WantedRecord {
  readonly id: string
}

/** Number of bodies that are looked up and stored together. */
const BODIES_AT_ONCE = 500

function* chunks(all: Iterable<Given>): Generator<Given[]> {
  let some: Given[] = []
  for (const one of all) {
    some.push(one)
    if (some.length < BODIES_AT_ONCE) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

async function loadSome(
  edit: Edit,
  {
    some,
    copies,
    outcomes,
    request,
  }: {
    readonly some: readonly Given[]
    readonly copies: ReadonlyMap<string, StoredCopies>
    readonly outcomes: Map<string, Outcome>
    readonly request: LoadRequest
  },
): Promise<void> {
  const { publish = true, dryRun = false } = request
  const wanted = some.map((one) => {
    const { development: before, production } = copies.get(one.id) ?? {}
    const after = wantedState(one, before, { date: edit.date, status: request.status })
    const isStored = before !== undefined && isSame(before, after)
    const isDone = isStored && (!publish || (production !== undefined && isSame(after, production)))
    outcomes.set(one.id, isDone ? 'same' : before ? 'changed' : 'added')
    return { before, production, after, isStored, isDone }
  })
  if (dryRun) return
  const toDo = wanted.filter(({ isDone }) => !isDone)
  await edit.reserve(toDo.length)
  for (const { before, production, after, isStored } of toDo) {
    const development = isStored ? before : after
    if (!isStored) {
      await edit.putDocument(after)
      await edit.store(DEVELOPMENT, { before, after, entry: before ? 'MOD' : 'ADD' })
    }
    if (publish && development) {
      await publishCopy(edit, { development, production }, development)
    }
  }
}

/** Returns the new state of a loaded record. If the content is unchanged, editors' notes are kept. */
function wantedState(
  { id, body, content }: Given,
  before: StoredItem | undefined,
  { date, status }: { readonly date: string; readonly status: Status | undefined },
): StoredRecord {
  const made = wantedCopy(id, { body, content }, { before, date })
  return {
    ...made,
    status: body.status ?? before?.status ?? status ?? 'READY',
    assignedTo: made.assignedTo ?? before?.assignedTo ?? null,
    note: made.note ?? before?.note ?? null,
    fieldNotes: made.fieldNotes ?? before?.fieldNotes ?? null,
  }
}

function inPlace<Result>(at: string, parse: () => Result): Result {
  try {
    return parse()
  } catch (cause) {
    throw errorIn(at, cause)
  }
}

function byOutcome(outcomes: ReadonlyMap<string, Outcome>): Loaded {
  const of = (wanted: Outcome) =>
    [...outcomes].filter(([, outcome]) => outcome === wanted).map(([id]) => id)
  return { added: of('added'), changed: of('changed'), same: of('same') }
}
