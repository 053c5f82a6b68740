import fc from 'fast-check'
import type { Dictionary } from '../../../engine/submission/dictionary/dictionary.ts'
import type { EntityType } from '../../../engine/submission/dictionary/entity-type.ts'
import type { Property } from '../../../engine/submission/dictionary/property.ts'

type Document = Readonly<Record<string, unknown>>

/** The types of the graphs with their links; a link in `several` may have many parents. */
const TYPES = {
  case: { one: { tissue_source_sites: ['tissue_source_site'] }, several: {} },
  sample: { one: { cases: ['case'] }, several: {} },
  portion: { one: { samples: ['sample'], centers: ['center'] }, several: {} },
  slide: { one: {}, several: { samples: ['sample'] } },
  aliquot: { one: { centers: ['center'] }, several: { samples: ['sample'] } },
  read_group: { one: { aliquots: ['aliquot'] }, several: {} },
  diagnosis: { one: { cases: ['case'] }, several: {} },
  treatment: { one: { diagnoses: ['diagnosis'] }, several: {} },
  submitted_unaligned_reads: { one: { read_groups: ['read_group'] }, several: {} },
  submitted_genomic_profile: { one: {}, several: { read_groups: ['read_group'] } },
  annotation: { one: {}, several: { cases: ['case'], slides: ['slide'] } },
} as const

type MadeType = keyof typeof TYPES
export const MADE_TYPES = Object.keys(TYPES) as readonly MadeType[]

/** Entities registered for all projects. */
export const REFERENCES = [
  {
    type: 'center',
    code: '01',
    namespace: 'a.example',
    name: 'A',
    short_name: 'A',
    center_type: 'X',
  },
  {
    type: 'center',
    code: '"2"',
    namespace: 'b.example',
    name: 'B',
    short_name: 'B',
    center_type: 'Y',
  },
  { type: 'tissue_source_site', code: 'a,\tb' },
]

/** Texts that are difficult to store in a table, without blanks around them. */
const HARD = [
  'a\tb',
  'a,b',
  '"',
  '""a',
  'a"b',
  'a\nb',
  'a\r\nb',
  'a\rb',
  '=1+1',
  '*a',
  'a#1',
  'a|b',
]
const texts = fc.oneof(
  fc.constantFrom(...HARD, 'null', 'true', '0012', '1e5', 'Überlänge', '😀', 'a | b', '.a', 'None'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((text) => text.trim()),
)
const names = texts.filter((text) => text !== '' && text !== 'null' && !text.includes('\0'))

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'

/** Values that a property accepts. */
function values(property: Property): fc.Arbitrary<unknown> | undefined {
  const { kinds, values: accepted, pattern, isDateTime, items, alternatives } = property
  if (accepted) {
    const all = [...accepted].filter((value) => value !== null)
    return all.length > 0 ? fc.constantFrom(...all) : undefined
  }
  const [first] = alternatives ?? []
  // A value that fits several kinds where one must fit is rejected; the first of them is a plain one.
  if (first) return values(first)
  if (isDateTime) return fc.constant('2026-01-02T03:04:05.000000+00:00')
  if (pattern) return pattern.expression.test(MD5) ? fc.constant(MD5) : undefined
  const { minimum = -1e6, maximum = 1e6 } = property
  for (const kind of kinds ?? []) {
    if (kind === 'integer') return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) })
    if (kind === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true })
    if (kind === 'boolean') return fc.boolean()
    if (kind === 'string') return texts
    const item = kind === 'array' && items ? values(items) : undefined
    if (item) return fc.array(item, { minLength: 1, maxLength: 3 })
  }
  return undefined
}

/** Documents of a type with the required properties and some optional ones. */
function properties(type: EntityType): fc.Arbitrary<Document> {
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  const isOwn = (name: string) =>
    !type.systemProperties.has(name) &&
    !type.links.has(name) &&
    !['type', 'id', 'project_id', 'submitter_id'].includes(name)
  const optional: string[] = []
  for (const [name, property] of type.properties) {
    if (!isOwn(name)) continue
    const made = values(property)
    const isRequired = type.required.includes(name)
    if (!made) continue
    model[name] = isRequired ? made.filter((value) => value !== '' && value !== 'null') : made
    if (!isRequired) optional.push(name)
  }
  const wanted = fc.subarray(optional, { maxLength: Math.min(6, optional.length) })
  return wanted.chain((some) =>
    fc.record(
      Object.fromEntries(
        Object.entries(model).filter(
          ([name]) => type.required.includes(name) || some.includes(name),
        ),
      ),
    ),
  )
}

const SIZE: Readonly<Partial<Record<MadeType, number>>> = { case: 3, sample: 4, slide: 2 }

/** Graphs that can be submitted in this order, parents before children. */
export function graphs({ types }: Dictionary): fc.Arbitrary<readonly Document[]> {
  const pieces = MADE_TYPES.map((name) => {
    const type = types.get(name)
    if (!type) throw new Error(`the dictionary has no ${name}`)
    const most = SIZE[name] ?? 2
    return fc.array(
      fc.record({ own: properties(type), name: names, picks: fc.infiniteStream(fc.nat()) }),
      {
        minLength: 1,
        maxLength: most,
      },
    )
  })
  return fc.tuple(...pieces).map((drawn) => {
    const made = new Map<string, Document[]>(
      Object.entries(Object.groupBy(REFERENCES, ({ type }) => type)).map(([type, all = []]) => [
        type,
        all.map(({ code }) => ({ code })),
      ]),
    )
    const documents: Document[] = []
    for (const [i, type] of MADE_TYPES.entries()) {
      for (const [j, { own, name, picks }] of (drawn[i] ?? []).entries()) {
        const submitter_id = `${type} ${j} ${name}`
        const document = { ...own, type, submitter_id, ...linksOf(type, made, picks) }
        documents.push(document)
        made.set(type, [...(made.get(type) ?? []), { submitter_id }])
      }
    }
    return documents
  })
}

function linksOf(
  type: MadeType,
  made: ReadonlyMap<string, readonly Document[]>,
  picks: Iterable<number>,
) {
  const random = picks[Symbol.iterator]()
  const pick = (most: number) => Number(random.next().value) % most
  const links: Record<string, unknown> = type === 'case' ? { projects: { code: 'ONE' } } : {}
  const { one, several } = TYPES[type]
  for (const [link, [target = '']] of Object.entries<readonly string[]>(one)) {
    const all = made.get(target) ?? []
    links[link] = all[pick(all.length)]
  }
  for (const [link, [target = '']] of Object.entries<readonly string[]>(several)) {
    const all = made.get(target) ?? []
    const count = 1 + pick(all.length)
    links[link] = all.slice(0, count)
  }
  return links
}
