import type { Found } from '../ndjson-batch/counts.ts'
import type { Definitions } from './dictionary.ts'
import type { Items } from './model.ts'

// Items that took the place of others from one version of the standard to the next. A file has those of its own
// version; an algorithm may ask for those of another. (dictionaries of NAACCR 14 to 26, compared by script)

/** Two items of which one took the place of the other; codes that mean the same in both. */
interface Successor {
  readonly items: readonly [string, string]
  readonly equalCodes: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

const apart = (before: string, ...after: readonly string[]): readonly Successor[] =>
  after.map((item) => ({ items: [before, item], equalCodes: NONE }))

const SUCCESSORS: readonly Successor[] = [
  // Look-ups of NAACCR 25 and 26: 3 to 6 are of the former alone.
  { items: ['sex', 'sexAssignedAtBirth'], equalCodes: new Set(['1', '2', '9']) },
  // One code of three nodes became one for each.
  ...apart(
    'lnStatusFemorInguinParaaortPelv',
    ...['lnStatusFemoralInguinal', 'lnStatusParaAortic', 'lnStatusPelvic'],
  ),
  // Of two characters, then of four.
  ...apart('rxSummSurgPrimSite', 'rxSummSurgPrimSite2023'),
  // A field test of 2017 under the same numbers.
  ...apart('seerPrimaryTumor', 'eodPrimaryTumor'),
  ...apart('seerRegionalNodes', 'eodRegionalNodes'),
  ...apart('seerMets', 'eodMets'),
  ...apart('directlyAssignedSs2017', 'summaryStage2018'),
  // One grade became those of each schema.
  ...apart('grade', 'gradeClinical', 'gradePathological', 'gradePostTherapy'),
]

/** Of counts: values that are taken from the item of another version, and such that are not. */
export const BRIDGED = 'bridged'
export const NOT_BRIDGED = 'not_bridged'

/** An item that is asked for, and the one that a file has in its place. */
export interface Bridge {
  readonly asked: string
  readonly given: string
  readonly equalCodes: ReadonlySet<string>
}

/** Of the items that are asked for, those that a file cannot have, while it can have their counterpart. */
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

/** Values for items that are asked for, of those that are there in their place; the others are counted. */
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
 * What a file calls items that it cannot have: their counterpart, whose equal codes are read, or nothing.
 * @param items by which tumors are judged
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
