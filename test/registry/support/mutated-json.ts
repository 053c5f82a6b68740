import fc from 'fast-check'

// Random changes to a JSON document: a member is replaced, removed, renamed or duplicated.

type Json = unknown

const ODD: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    // These texts have a meaning somewhere.
    arbitrary: fc.constantFrom(
      ...['a', 'b', 'out', 'site', 'x', 't', 'u', 'codes', 'gone', 'm', '', ' ', '*', '-', ','],
      ...['1', '1-2-3', '{{a}}', '{{', '1-{{b}}', '__proto__', 'VALUE', 'VALUE:{{x}}', 'STOP'],
      ...['ERROR', 'JUMP:t', 'JUMP:', 'MATCH', 'INPUT', 'DESCRIPTION', 'FAIL', 'CONTINUE'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, true, 0, -1, 1.5, [], {}, [null], [''], [[]]) },
  { weight: 1, arbitrary: fc.constantFrom({ key: 'a' }, { id: 't' }, { from: 'a', to: 'x' }) },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 })) },
)

export interface Mutation {
  /** The place as a fraction of all places. */
  readonly place: number
  readonly how: 'replace' | 'drop' | 'double' | 'rename'
  readonly value: Json
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  // Random doubles would mostly be near 0.
  place: fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000),
  how: fc.constantFrom('replace', 'replace', 'drop', 'double', 'rename'),
  value: ODD,
})

/** Returns a copy with the mutations applied in order. */
export function mutated(json: Json, mutations: readonly Mutation[]): Json {
  const copy = structuredClone(json)
  for (const { place, how, value } of mutations) {
    const places = placesIn(copy)
    const [holder, name] = places[Math.floor(place * places.length)] ?? []
    if (holder === undefined || name === undefined) continue
    if (Array.isArray(holder)) changeElement(holder, Number(name), how, value)
    else changeMember(holder, name, how, value)
  }
  return copy
}

type Holder = Json[] | Record<string, Json>

function placesIn(json: Json): [Holder, string][] {
  if (typeof json !== 'object' || json === null) return []
  const holder = json as Holder
  return Object.entries(holder).flatMap(([name, value]): [Holder, string][] => [
    [holder, name],
    ...placesIn(value),
  ])
}

function changeElement(list: Json[], at: number, how: Mutation['how'], value: Json): void {
  if (how === 'drop') list.splice(at, 1)
  else if (how === 'double') list.splice(at, 0, structuredClone(list[at]))
  else list[at] = structuredClone(value)
}

function changeMember(
  object: Record<string, Json>,
  name: string,
  how: Mutation['how'],
  value: Json,
): void {
  const before = object[name]
  if (how === 'drop' || how === 'rename') delete object[name]
  if (how === 'drop') return
  object[how === 'rename' ? `${name}_` : name] =
    how === 'replace' ? structuredClone(value) : how === 'double' ? [before, before] : before
}
