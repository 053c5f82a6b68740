import fc from 'fast-check'
import type { GraphModel } from '../../../engine/submission/graphql/model.ts'
import { argumentsOf } from './asked-graph.ts'

/** Queries with valid and invalid names, arguments of all kinds, and malformed texts. */
export function oddQueries({ types }: GraphModel): fc.Arbitrary<string> {
  const names = [...types.keys(), 'node', 'datanode', 'transaction_log', '_node_type', 'x']
  const some = fc.constantFrom('case', 'sample', 'project', 'program', 'center', ...names)
  const value = fc.oneof(
    fc.constantFrom<unknown>('C', 'S', '', 'id', 'samples', '\0', '\ud800', '2026-01-01', '%', "'"),
    fc.constantFrom<unknown>(0, -1, 1, 2.5, 2_147_483_648, 1e300, true, null, [], {}),
    fc.array(fc.constantFrom<unknown>('cases', 'samples', 7, null), { maxLength: 3 }),
    some.map((type) => ({ type })),
    fc.record({ type: some, submitter_id: fc.constantFrom<unknown>('C', 7, null, []) }),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  const argument = fc.constantFrom(
    ...[
      'id',
      'ids',
      'first',
      'offset',
      'last',
      'submitter_id',
      'project_id',
      'quick_search',
      'not',
    ],
    ...['with_links', 'without_links', 'with_links_any', 'with_path_to', 'with_path_to_any'],
    ...['without_path_to', 'order_by_asc', 'order_by_desc', 'created_after', 'updated_before'],
    ...['entities', 'related_cases', 'committed_by', 'is_dry_run', 'of_type', 'category', 'state'],
  )
  const text = fc.constantFrom('C', 'S', '', 'id', 'state', '\0', '\ud800', '2026-01-01', '%', "'")
  const end = fc.record({ type: some, submitter_id: text }, { requiredKeys: ['type'] })
  const right = {
    first: fc.nat(),
    offset: fc.nat(),
    id: text,
    ids: fc.array(text),
    quick_search: text,
    submitter_id: text,
    with_links: fc.constantFrom('samples', 'cases'),
    without_links: text,
    with_path_to: end,
    with_path_to_any: fc.array(end),
    without_path_to: end,
    order_by_asc: text,
    order_by_desc: fc.constantFrom('id', 'type'),
    updated_after: text,
    not: fc.record({ submitter_id: text }),
  }
  const keysOfRight = fc.subarray(Object.keys(right) as (keyof typeof right)[], { maxLength: 2 })
  const given = fc
    .oneof(
      {
        weight: 5,
        arbitrary: keysOfRight.chain((keys) =>
          fc.record<object>(Object.fromEntries(keys.map((key) => [key, right[key]]))),
        ),
      },
      fc.dictionary(argument, value, { maxKeys: 2 }),
    )
    .map((all) => argumentsOf({ ...all }))
  const leaf = fc.constantFrom('id', 'type', 'submitter_id', '__typename', '...f', '_links { id }')
  const inner = fc
    .tuple(fc.constantFrom('samples', 'cases', '_links', '_related_cases', '_links'), given, leaf)
    .map(([name, args, field]) => `${name}${args} { ${field} }`)
  const list = fc
    .tuple(some, given, fc.array(fc.oneof(leaf, inner), { minLength: 1, maxLength: 3 }))
    .map(([name, args, selected]) => `${name}${args} { ${selected.join(' ')} }`)
  const count = fc.tuple(some, given).map(([name, args]) => `_${name}_count${args}`)
  const whole = fc
    .array(fc.oneof(list, count), { minLength: 1, maxLength: 2 })
    .map((parts) => `{ ${parts.join(' ')} }`)
    .map((text) => (text.includes('...f') ? `${text} fragment f on Node { id type }` : text))
  const broken = fc
    .tuple(whole, fc.nat(), fc.string({ maxLength: 3 }))
    .map(([text, place, more]) => {
      const at = place % text.length
      return text.slice(0, at) + more + text.slice(at + 1)
    })
  return fc.oneof(
    { weight: 5, arbitrary: whole },
    broken,
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
}
