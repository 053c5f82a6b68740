import { EngineError } from '../../shared/errors.ts'
import { checkComment } from '../edit-comment.ts'
import { errorIn } from '../error-in.ts'
import type { Status } from './answers.ts'
import { parseRecordBody } from './bodies.ts'
import type { RecordContent } from './definition.ts'
import { Edit } from './edit.ts'
import { isSame, publishCopy, wantedCopy } from './states.ts'
import { DEVELOPMENT, LATEST, type StoredRecord } from './stored.ts'
import type { PublishingSources } from './versions.ts'

/** How records are loaded. */
export interface LoadRequest {
  /** What histories call them. */
  readonly user: string
  readonly description?: string | undefined
  /** Of new records whose body has none; left out, READY. */
  readonly status?: Status | undefined
  /** Left out, true. */
  readonly publish?: boolean | undefined
  /** Finds out what would be done, and does nothing. */
  readonly dryRun?: boolean | undefined
  /** How messages call a record by its place; left out, `[0]`, `[1]`, ... */
  readonly placeOf?: ((index: number) => string) | undefined
}

/** Ids by what became of the records. */
export interface Loaded {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly same: readonly string[]
}

type Outcome = keyof Loaded

/** Puts many records in one transaction. */
export class Loading<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>

  constructor(sources: PublishingSources<Content>) {
    this.#sources = sources
  }

  load(bodies: Iterable<unknown>, request: LoadRequest): Loaded {
    checkComment(request.description, 'description')
    const { repository, clock } = this.#sources
    return repository.transaction(() => {
      const { user, description, placeOf = (index: number) => `[${index}]` } = request
      const edit = new Edit(repository, { user, description, date: clock().toISOString() })
      const outcomes = new Map<string, Outcome>()
      let index = 0
      for (const body of bodies) {
        const at = placeOf(index++)
        const { id, after } = inPlace(at, () => this.#wanted(body, edit, request))
        if (outcomes.has(id)) {
          const message = `"${at}.id" is "${id}", which an earlier record has`
          throw new EngineError('bad_input', message, { at: `${at}.id` })
        }
        outcomes.set(id, this.#loadOne(edit, after, request))
      }
      edit.finish()
      return byOutcome(outcomes)
    })
  }

  #wanted(body: unknown, edit: Edit, request: LoadRequest) {
    const { repository, definition } = this.#sources
    const read = parseRecordBody(body)
    const { id } = read
    if (id === undefined) {
      throw new EngineError('bad_input', '"id" is missing; give each record one', { at: 'id' })
    }
    const content = definition.parse(body)
    const before = repository.item(DEVELOPMENT, id)
    const made = wantedCopy(id, { body: read, content }, { before, date: edit.date })
    // What editors have noted meanwhile outlives loading the same content again.
    const after: StoredRecord = {
      ...made,
      status: read.status ?? before?.status ?? request.status ?? 'READY',
      assignedTo: made.assignedTo ?? before?.assignedTo ?? null,
      note: made.note ?? before?.note ?? null,
      fieldNotes: made.fieldNotes ?? before?.fieldNotes ?? null,
    }
    return { id, after }
  }

  #loadOne(
    edit: Edit,
    wanted: StoredRecord,
    { publish = true, dryRun = false }: LoadRequest,
  ): Outcome {
    const { repository } = this.#sources
    const { id } = wanted
    const before = repository.item(DEVELOPMENT, id)
    const production = repository.item(LATEST, id)
    const isStored = before !== undefined && isSame(before, wanted)
    const isDone =
      isStored && (!publish || (production !== undefined && isSame(wanted, production)))
    if (isDone) return 'same'
    if (!dryRun) {
      const development = isStored ? before : wanted
      if (!isStored) {
        edit.putDocument(wanted)
        edit.store(DEVELOPMENT, { before, after: wanted, entry: before ? 'MOD' : 'ADD' })
      }
      if (publish) publishCopy(edit, { development, production }, development)
    }
    return before ? 'changed' : 'added'
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
