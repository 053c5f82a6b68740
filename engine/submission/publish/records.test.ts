import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import type { Edge, StoredEntity } from '../transactions/graph.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'
import { caseRecord } from './case-record.ts'
import type { CaseTree } from './case-tree.ts'
import { fileRecord } from './file-record.ts'

const PARENTS: Readonly<Record<string, readonly string[]>> = {
  sample: ['case'],
  portion: ['sample'],
  analyte: ['portion', 'sample'],
  aliquot: ['analyte', 'sample'],
  slide: ['portion', 'sample'],
  diagnosis: ['case'],
  treatment: ['diagnosis'],
  pathology_detail: ['diagnosis'],
  follow_up: ['case'],
  molecular_test: ['follow_up', 'slide', 'diagnosis'],
  other_clinical_attribute: ['follow_up', 'case'],
  exposure: ['case'],
  read_group: ['aliquot'],
}
const TYPES = Object.keys(PARENTS)
const SPECIMENS = ['sample', 'portion', 'analyte', 'aliquot', 'slide']

const made = (type: string, id: string): StoredEntity => ({
  id,
  type,
  projectId: 'P-1',
  submitterId: `name ${id}`,
  state: 'submitted',
  errorType: null,
  fileState: type === FILE ? 'submitted' : null,
  properties: {},
  version: 1,
  createdAt: 'c',
  updatedAt: 'u',
  isCurrent: true,
  supersedes: null,
})
const FILE = 'submitted_aligned_reads'

/** Random trees of a case, its descendants, and a file of some read groups. */
const trees = fc
  .array(
    fc.record({
      type: fc.nat(TYPES.length - 1),
      picks: fc.array(fc.nat(99), { minLength: 1, maxLength: 2 }),
    }),
    {
      maxLength: 25,
    },
  )
  .map((drawn) => {
    const entities = [made('case', 'case-1')]
    const edges: Edge[] = []
    const put = (entity: StoredEntity, above: readonly string[], picks: readonly number[]) => {
      const candidates = entities.filter(({ type }) => above.includes(type))
      if (candidates.length === 0) return
      entities.push(entity)
      const parents = new Set(picks.map((pick) => candidates[pick % candidates.length]?.id ?? ''))
      for (const parent of parents) edges.push({ child: entity.id, link: 'l', parent })
    }
    for (const [i, { type, picks }] of drawn.entries()) {
      const name = TYPES[type] ?? ''
      put(made(name, `${name}-${i}`), PARENTS[name] ?? [], picks)
    }
    put(made(FILE, 'file-1'), ['read_group'], [0, 1])
    return { entities, edges }
  })

function treeOf({ entities, edges }: { entities: StoredEntity[]; edges: Edge[] }): CaseTree {
  const byId = new Map(entities.map((one) => [one.id, one]))
  const below = (id: string) =>
    edges.flatMap(({ parent, child }) => (parent === id ? [byId.get(child) as StoredEntity] : []))
  return {
    cases: entities.slice(0, 1),
    entities: byId,
    children: new Map(entities.map(({ id }) => [id, below(id)])),
    parents: new Map(entities.map(({ id }) => [id, edges.filter(({ child }) => child === id)])),
    references: new Map(),
    archives: new Map(),
  }
}

/** Returns the values of all members whose name is a type followed by `_id`. */
function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const isOwn = typeof each === 'string' && TYPES.includes(name.replace(/_id$/, ''))
    return isOwn ? [each] : idsIn(each)
  })
}

test('a case shows all that is below it, and nothing twice in one place', () => {
  fc.assert(
    fc.property(trees, (drawn) => {
      const tree = treeOf(drawn)
      const record = caseRecord(tree.cases[0] as StoredEntity, tree)
      const shown = new Set(idsIn(record))
      const wanted = drawn.entities.filter(
        ({ type }) => TYPES.includes(type) && type !== 'read_group',
      )
      expect([...shown].sort()).toEqual(wanted.map(({ id }) => id).sort())
      // An entity occurs once under each of its parents, but only under the follow-up if it has one.
      for (const { id, type } of wanted) {
        const parents = drawn.edges.filter(({ child }) => child === id).map(({ parent }) => parent)
        const followed = parents.filter((parent) => parent.startsWith('follow_up'))
        const places =
          ['molecular_test', 'other_clinical_attribute'].includes(type) && followed.length > 0
            ? followed
            : parents
        const shown = places.reduce(
          (sum, parent) => sum + Math.max(1, timesShown(parent, record)),
          0,
        )
        expect([id, timesShown(id, record)]).toEqual([id, shown])
      }
    }),
    { seed: 49, numRuns: depth(60, 300) },
  )
})

const timesShown = (id: string, record: unknown) => idsIn(record).filter((one) => one === id).length

test('a file shows the specimens that it was made from, and no others', () => {
  const project: ProjectToRelease = {
    projectId: 'P-1',
    program: 'P',
    code: '1',
    id: 'p',
    state: 'submitted',
    revision: 1,
    releasable: true,
    released: true,
    properties: {},
    programId: 'g',
    programAccession: 'a',
  }
  const types = new Map<string, EntityType>()
  const context = { project, types, isFormer: () => false }
  fc.assert(
    fc.property(trees, (drawn) => {
      const tree = treeOf(drawn)
      const file = tree.entities.get('file-1')
      fc.pre(file !== undefined)
      const record = fileRecord(file as StoredEntity, tree, context)
      const above = new Set(['file-1'])
      for (let size = 0; size !== above.size; ) {
        size = above.size
        for (const { child, parent } of drawn.edges) if (above.has(child)) above.add(parent)
      }
      const specimens = drawn.entities.filter(
        ({ id, type }) => above.has(id) && SPECIMENS.includes(type),
      )
      expect([...new Set(idsIn(record.cases))].sort()).toEqual(specimens.map(({ id }) => id).sort())
      expect(record.associated_entities).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ entity_type: 'aliquot', case_id: 'case-1' }),
        ]),
      )
    }),
    { seed: 50, numRuns: depth(60, 300) },
  )
})
