import { EngineError } from '../../shared/errors.ts'
import { beyond, placeOf } from '../../shared/graphql/document-limits.ts'
import { DATASETS } from '../datasets/index.ts'
import { DATASET_OF_SET } from '../sets/pin.ts'
import type { SetKind, SetType } from '../sets/set-store.ts'
import type { ChosenMembers, RankRows, Sets, StoredSet } from '../sets/sets.ts'
import type { Compiling, ValidOperation } from './compile.ts'
import { FilterReader } from './filter-reading.ts'
import { type Finding, findRequest } from './find-request.ts'
import { SEARCH_DOCUMENT_LIMITS } from './limits.ts'
import { orderOf } from './page.ts'
import { type RequestedPage, SearchRequests } from './search-requests.ts'
import { type RequestedField, Selection } from './selection.ts'

const TYPES: readonly string[] = Object.keys(DATASET_OF_SET)
const isSetType = (name: string): name is SetType => TYPES.includes(name)

/** The changes of sets that a document may request. */
export type ChangingSets = Pick<Sets, 'append' | 'create' | 'pin' | 'remove' | 'replace'>

interface ChangeContext extends Pick<Compiling, 'schema' | 'turns'>, Finding {
  readonly sets: ChangingSets
  /** The client whose limits new sets count against. */
  readonly client: string
  readonly signal: AbortSignal | undefined
}

/** Input of a mutation, as its GraphQL type has parsed it. */
interface SetInput {
  readonly filters?: unknown
  readonly case_filters?: unknown
  readonly size?: number | null
  readonly score?: string | null
  readonly sort?: unknown
  readonly set_id?: string | null
  readonly set_type?: SetKind | null
  readonly intent?: string | null
}

/** Makes one part of the response when its turn comes. */
type Part = () => Promise<unknown>

/**
 * Makes and changes the sets that a mutation requests, one after another, with the same code as REST. The whole
 * document is read before the first change. If a change fails, earlier changes remain.
 * @returns data of the response
 * @throws EngineError like the methods of `Sets`; too_many for a document with too many changes
 */
export function changeSets(valid: ValidOperation, context: ChangeContext): Promise<unknown> {
  return new SetChanges(valid, context).part()
}

class SetChanges {
  readonly #valid: ValidOperation
  readonly #context: ChangeContext
  readonly #selection: Selection
  #changes = 0

  constructor(valid: ValidOperation, context: ChangeContext) {
    this.#valid = valid
    this.#context = context
    this.#selection = new Selection(valid.document, valid.variables)
  }

  part(): Promise<unknown> {
    const type = this.#context.schema.getMutationType()
    if (!type) throw new Error('the schema has no mutations')
    const all = this.#selection.of(type, [this.#valid.operation.selectionSet], 1)
    return this.#object(all, type.name, [])()
  }

  /** @param path fields that lead here from the root */
  #object(all: readonly RequestedField[], typeName: string, path: readonly string[]): Part {
    const parts = all.map((asked): readonly [string, Part] => {
      const { as, name, type } = asked
      if (name === '__typename') return [as, async () => typeName]
      const [, operation] = path
      if (operation !== undefined && isSetType(name)) {
        return [as, this.#change(asked, operation, name)]
      }
      const below = this.#selection.of(type, asked.sets, asked.depth)
      return [as, this.#object(below, type.name, [...path, name])]
    })
    return async () => {
      const members: (readonly [string, unknown])[] = []
      for (const [as, part] of parts) members.push([as, await part()])
      return Object.fromEntries(members)
    }
  }

  #change(asked: RequestedField, operation: string, type: SetType): Part {
    const { args, node, sets } = asked
    this.#changes++
    const { changes } = SEARCH_DOCUMENT_LIMITS
    if (this.#changes > changes) {
      throw beyond(`makes or changes more than ${changes} sets ${placeOf(node)}`)
    }
    if (!args.input) {
      const message = `input is missing ${placeOf(node)}; give the filters of the members, or {} for all`
      throw new EngineError('bad_input', message, { at: 'input' })
    }
    const input = args.input as SetInput
    const order = orderOf({ ...input }, DATASETS[DATASET_OF_SET[type]], placeOf(node))
    const picks = this.#selection.of(asked.type, sets, asked.depth)
    return async () => {
      const set = await this.#run(operation, type, input, this.#rank(type, order))
      return Object.fromEntries(picks.map(({ as, name }) => [as, pickOf(set, name, asked)]))
    }
  }

  #run(
    operation: string,
    type: SetType,
    input: SetInput,
    rank: RankRows | undefined,
  ): Promise<StoredSet> {
    const { sets, client, signal } = this.#context
    const { filters, case_filters: caseFilters, set_id: id, intent, set_type: kind } = input
    const chosen: ChosenMembers = { filters, caseFilters, size: input.size ?? undefined, rank }
    const run = { signal }
    if (operation === 'append') return sets.append(id ?? '', { ...chosen, type }, run)
    if (operation === 'remove_from') return sets.remove(id ?? '', { ...chosen, type }, run)
    if (id) return sets.replace(id, { ...chosen, type }, run)
    const kept = { kind: kind ?? undefined, intent: intent ?? undefined, client }
    return sets.create({ ...chosen, type, ...kept }, run)
  }

  /** Returns a function that finds the first records in the requested order, or undefined for the order of ids. */
  #rank(type: SetType, order: Pick<RequestedPage, 'score' | 'sort'>): RankRows | undefined {
    if (order.score === undefined && order.sort.length === 0) return undefined
    const { turns, sets } = this.#context
    return async ({ filters, caseFilters, size }, release, { signal }) => {
      const withSets = (given: unknown) => sets.pin(given)
      const requests = new SearchRequests(new FilterReader({ turns, withSets }))
      const dataset = DATASET_OF_SET[type]
      requests.page({ dataset, filters, caseFilters }, { first: size, offset: 0, ...order })
      const [request] = await requests.read(turns)
      if (!request) throw new Error('a page is no search')
      const found = await findRequest(request, release, this.#context, signal)
      return 'rows' in found ? found.rows : new Uint32Array(0)
    }
  }
}

function pickOf({ id, size }: StoredSet, name: string, { type }: RequestedField): string | number {
  if (name === '__typename') return type.name
  return name === 'set_id' ? id : size
}
