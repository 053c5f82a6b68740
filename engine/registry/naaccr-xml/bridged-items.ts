import type { Found } from '../ndjson-batch/counts.ts'
import type { Definitions } from './dictionary.ts'
import type { Items } from './model.ts'

// Items that were replaced between versions of the standard. A file contains the items of its own version,
// but an algorithm may need those of another. (Found by comparing the dictionaries of NAACCR 14 to 26 with a
// script.)

/** An item and its successor, with the codes that mean the same in both. */
interface Successor {
  readonly items: readonly [string, string]
  readonly equalCodes: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

const apart = (before: string, ...after: readonly string[]): readonly Successor[] =>
  after.map((item) => ({ items: [before, item], equalCodes: NONE }))

const SUCCESSORS: readonly Successor[] = [
  // Lookups of NAACCR 25 and 26: codes 3 to 6 exist only in the former item.
  { items: ['sex', 'sexAssignedAtBirth'], equalCodes: new Set(['1', '2', '9']) },
  // One code for three nodes was split into one for each.
  ...apart(
    'lnStatusFemorInguinParaaortPelv',
    'lnStatusFemoralInguinal',
    'lnStatusParaAortic',
    'lnStatusPelvic',
  ),
  // The code grew from two to four characters.
  ...apart('rxSummSurgPrimSite', 'rxSummSurgPrimSite2023'),
  // A field test of 2017 under the same numbers.
  ...apart('seerPrimaryTumor', 'eodPrimaryTumor'),
  ...apart('seerRegionalNodes', 'eodRegionalNodes'),
  ...apart('seerMets', 'eodMets'),
  ...apart('directlyAssignedSs2017', 'summaryStage2018'),
  // One grade was replaced by separate grades for each schema.
  ...apart('grade', 'gradeClinical', 'gradePathological', 'gradePostTherapy'),
]

/** Count values taken from an item of another version, and values that could not be. */
const BRIDGED = 'bridged'
const NOT_BRIDGED = 'not_bridged'

/** A requested item and the item that the file has instead. */
export interface Bridge {
  /** Id of the requested item. */
  readonly asked: string
  /** Id of the item that the file has. */
  readonly given: string
  /** Codes that mean the same in both. */
  readonly equalCodes: ReadonlySet<string>
}

/** Returns a bridge for each requested item that the file cannot contain but whose counterpart it can. */
export function bridgesOf(asked: ReadonlySet<string>, definitions: Definitions): readonly Bridge[] {
  const bridgeOf = (item: string, given: string, { equalCodes }: Successor) =>
    asked.has(item) && !definitions.get(item) && definitions.get(given)
      ? [{ asked: item, given, equalCodes }]
      : []
  return SUCCESSORS.flatMap((pair) => {
    const [before, after] = pair.items
    return [...bridgeOf(after, before, pair), ...bridgeOf(before, after, pair)]
  })
}

/**
 * Returns the values of requested items that come from their counterparts, and counts them together with
 * those that have no equal code.
 */
export function bridgedValues(
  items: Items,
  bridges: readonly Bridge[],
  count: (found: Omit<Found, 'line'>) => void,
): readonly (readonly [item: string, value: string])[] {
  return bridges.flatMap(({ asked, given, equalCodes }) => {
    const value = items.get(given)
    if (value === undefined || items.has(asked)) return []
    const isEqual = equalCodes.has(value)
    count({ kind: isEqual ? BRIDGED : NOT_BRIDGED, code: given, of: asked })
    return isEqual ? [[asked, value] as const] : []
  })
}

/**
 * Maps items that the file cannot contain to their counterparts, if those have equal codes, otherwise to
 * null.
 * @param items used to stage tumors
 */
export function namesInFile(
  items: ReadonlySet<string>,
  definitions: Definitions,
): Readonly<Record<string, string | null>> {
  const bridges = bridgesOf(items, definitions).filter(({ equalCodes }) => equalCodes.size > 0)
  const given = new Map(bridges.map((bridge) => [bridge.asked, bridge.given]))
  const absent = [...items].filter((item) => !definitions.get(item))
  return Object.fromEntries(absent.map((item) => [item, given.get(item) ?? null]))
}
