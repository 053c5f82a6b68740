import { expect, test } from 'vitest'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { selectFields } from '../datasets/select.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import type { Hit } from './hit.ts'
import { linkedRecords } from './linked-records.ts'
import { compileProjection } from './projection.ts'
import { Projector } from './projector.ts'
import type { RecordSource } from './records.ts'

type Documents = Partial<Record<DatasetName, readonly Hit[]>>

/** Records in memory, with the links that a release has. */
function source(documents: Documents): RecordSource & { readonly reads: number[][] } {
  const reads: number[][] = []
  const of = (dataset: DatasetName) => documents[dataset] ?? []
  /**
   * Returns the objects at a link of one record: the elements of its level, or a single object. Only objects
   * count.
   */
  const elementsOf = (document: Hit, at: string) =>
    [document[at] ?? []].flat().filter((element) => element !== null) as Hit[]
  const arrays: Pick<ReleaseArrays, 'link' | 'level'> = {
    level(dataset, path) {
      const counts = of(dataset as DatasetName).map((document) => elementsOf(document, path).length)
      const parents = Uint32Array.from(counts.flatMap((count, row) => Array(count).fill(row)))
      const offsets = new Uint32Array(counts.length + 1)
      for (const [row, count] of counts.entries()) offsets[row + 1] = offsets[row]! + count
      return { offsets, parents, layout: { parent: '', elements: parents.length, oneToOne: false } }
    },
    link(dataset, at) {
      const { mounts, nested } = datasetOf(dataset as DatasetName)
      const mount = mounts.find((one) => one.at === at)
      if (mount?.kind !== 'link') return undefined
      const others = of(mount.dataset)
      const { idField } = datasetOf(mount.dataset)
      const targets = of(dataset as DatasetName).flatMap((document) => {
        const elements = elementsOf(document, at)
        // For records, there is one position each, whether or not it links to a record.
        return (nested.includes(at) ? elements : [elements[0]]).map(
          (element) => others.findIndex((other) => other[idField] === element?.[mount.by]) + 1,
        )
      })
      const reverse = others.map((_, row) =>
        [...targets.keys()].filter((i) => targets[i] === row + 1),
      )
      const reverseOffsets = new Uint32Array(others.length + 1)
      for (const [row, { length }] of reverse.entries()) {
        reverseOffsets[row + 1] = reverseOffsets[row]! + length
      }
      return {
        targets: Uint32Array.from(targets),
        reverseOffsets,
        reverseElements: Uint32Array.from(reverse.flat()),
        layout: { level: nested.includes(at) ? at : '', dataset: mount.dataset, dangling: 0 },
      }
    },
  }
  return {
    arrays: arrays as ReleaseArrays,
    documents: (dataset) => ({
      read(rows) {
        reads.push([...Array.from(rows)])
        return Array.from(rows, (row) => JSON.stringify(of(dataset)[row]))
      },
    }),
    reads,
  }
}

function hitsOf(
  documents: Documents,
  name: DatasetName,
  { rows = [0], mode = 'list', ...asked }: Asked,
): Hit[] {
  const dataset = datasetOf(name)
  const { selection, warnings } = selectFields(dataset, asked, mode)
  expect(warnings).toEqual({})
  const projector = new Projector(source(documents))
  return [...projector.hits(compileProjection(dataset, selection), Uint32Array.from(rows))]
}

interface Asked {
  readonly fields?: readonly string[]
  readonly expand?: readonly string[]
  readonly rows?: readonly number[]
  readonly mode?: 'list' | 'single'
}

const commons: Documents = {
  projects: [
    { project_id: 'A', name: 'Alpha', registry_accession_number: 'phs1', primary_site: ['Lung'] },
    { project_id: 'B', name: 'Beta', registry_accession_number: null },
  ],
  cases: [
    { case_id: 'c1', submitter_id: 'C1', project: { project_id: 'A' }, index_date: null },
    {
      case_id: 'c2',
      submitter_id: 'C2',
      project: { project_id: 'gone' },
      demographic: { gender: 'female', race: null },
      diagnoses: [
        { diagnosis_id: 'd1', treatments: [{ treatment_id: 't1' }, { treatment_id: 't2' }] },
        { diagnosis_id: 'd2' },
        { diagnosis_id: 'd3', treatments: [] },
      ],
    },
    { case_id: 'c3', submitter_id: 'C3' },
  ],
  files: [
    { file_id: 'f1', file_size: 5, cases: [{ case_id: 'c2', samples: [{ sample_id: 's2' }] }] },
    {
      file_id: 'f2',
      file_size: null,
      acl: [],
      cases: [
        { case_id: 'c1' },
        null,
        { case_id: 'lost', samples: [{ sample_id: 's9' }, { sample_type: 'x' }] },
        { case_id: 'c2' },
      ],
      analysis: { workflow_type: 'w', input_files: [{ file_id: 'i1' }, { file_name: 'n' }] },
    },
    { file_id: 'f3', cases: [] },
  ],
  ssms: [
    { ssm_id: 'm1', catalog_id: ['COSM1', 'COSM2'], chromosome: 'chr1' },
    { ssm_id: 'm2', catalog_id: null },
  ],
  ssm_occurrences: [
    { ssm_occurrence_id: 'o1', ssm: { ssm_id: 'm1' }, case: { case_id: 'c2', observation: [{}] } },
    {
      ssm_occurrence_id: 'o2',
      ssm: { ssm_id: 'm1' },
      case: { case_id: 'lost', observation: [{ read_depth: { t_depth: 335 } }] },
    },
  ],
}

test('list hits start with the id; null stays null, absent stays absent', () => {
  const hits = hitsOf(commons, 'cases', { rows: [0, 1] })
  expect(hits).toEqual([
    { id: 'c1', case_id: 'c1', submitter_id: 'C1', index_date: null },
    { id: 'c2', case_id: 'c2', submitter_id: 'C2' },
  ])
  expect(Object.keys(hits[0]!)[0]).toBe('id')
})

test('a single record has but what was asked for', () => {
  expect(hitsOf(commons, 'cases', { fields: ['submitter_id'], mode: 'single' })).toEqual([
    { submitter_id: 'C1' },
  ])
  expect(hitsOf(commons, 'cases', { fields: ['state'], mode: 'single' })).toEqual([{}])
})

test('hits are in the order of the rows, repeats included', () => {
  const hits = hitsOf(commons, 'files', { fields: ['file_size'], rows: [2, 0, 1, 0] })
  expect(hits).toEqual([
    { id: 'f3' },
    { id: 'f1', file_size: 5 },
    { id: 'f2', file_size: null },
    { id: 'f1', file_size: 5 },
  ])
})

test('arrays keep their order; objects with nothing in them are left out, empty groups too', () => {
  const fields = ['analysis.input_files.file_id', 'analysis.workflow_link', 'acl']
  expect(hitsOf(commons, 'files', { fields, rows: [0, 1] })).toEqual([
    { id: 'f1' },
    { id: 'f2', acl: [], analysis: { input_files: [{ file_id: 'i1' }] } },
  ])
  const treatments = ['diagnoses.treatments.treatment_id']
  expect(hitsOf(commons, 'cases', { fields: treatments, rows: [1, 2] })).toEqual([
    { id: 'c2', diagnoses: [{ treatments: [{ treatment_id: 't1' }, { treatment_id: 't2' }] }] },
    { id: 'c3' },
  ])
  expect(hitsOf(commons, 'cases', { fields: ['demographic.race'], rows: [1] })).toEqual([
    { id: 'c2', demographic: { race: null } },
  ])
})

test('linked records are attached to the element that names them; a dangling one keeps its id', () => {
  const fields = ['cases.case_id', 'cases.submitter_id', 'cases.samples.sample_id']
  expect(hitsOf(commons, 'files', { fields, rows: [0, 1, 2] })).toEqual([
    { id: 'f1', cases: [{ case_id: 'c2', submitter_id: 'C2', samples: [{ sample_id: 's2' }] }] },
    {
      id: 'f2',
      cases: [
        { case_id: 'c1', submitter_id: 'C1' },
        { case_id: 'lost', samples: [{ sample_id: 's9' }] },
        { case_id: 'c2', submitter_id: 'C2' },
      ],
    },
    { id: 'f3' },
  ])
})

test('an element of whose link nothing was asked for but the other record is the other record', () => {
  expect(hitsOf(commons, 'files', { fields: ['cases.submitter_id'], rows: [1] })).toEqual([
    { id: 'f2', cases: [{ submitter_id: 'C1' }, { submitter_id: 'C2' }] },
  ])
})

test('links are followed through links', () => {
  const fields = ['cases.project.project_id', 'cases.project.dbgap_accession_number']
  expect(hitsOf(commons, 'files', { fields, rows: [1] })).toEqual([
    {
      id: 'f2',
      cases: [
        { project: { project_id: 'A', dbgap_accession_number: 'phs1' } },
        { project: { project_id: 'gone' } },
      ],
    },
  ])
})

test('both spellings of a field can be printed', () => {
  const fields = ['dbgap_accession_number', 'registry_accession_number']
  expect(hitsOf(commons, 'projects', { fields, rows: [1] })).toEqual([
    { id: 'B', dbgap_accession_number: null, registry_accession_number: null },
  ])
})

test('reverse mounts hold all records that name this one, under their names here', () => {
  const fields = ['occurrence.occurrence_id', 'occurrence.case.observation.read_depth.t_depth']
  expect(hitsOf(commons, 'ssms', { fields, rows: [0, 1] })).toEqual([
    {
      id: 'm1',
      occurrence: [
        { occurrence_id: 'o1' },
        { occurrence_id: 'o2', case: { observation: [{ read_depth: { t_depth: 335 } }] } },
      ],
    },
    { id: 'm2' },
  ])
  const files = hitsOf(commons, 'cases', { fields: ['files.file_id'], rows: [1, 0, 2] })
  expect(files).toEqual([
    { id: 'c2', files: [{ file_id: 'f1' }, { file_id: 'f2' }] },
    { id: 'c1', files: [{ file_id: 'f2' }] },
    { id: 'c3' },
  ])
})

test('a record that names another one twice is listed once', () => {
  const files = [{ file_id: 'f', cases: [{ case_id: 'c' }, { case_id: 'c' }] }]
  const hits = hitsOf({ cases: [{ case_id: 'c' }], files }, 'cases', { fields: ['files.file_id'] })
  expect(hits).toEqual([{ id: 'c', files: [{ file_id: 'f' }] }])
})

test('reverse mounts lead on to links', () => {
  const fields = ['occurrence.case.submitter_id', 'occurrence.case.case_id']
  expect(hitsOf(commons, 'ssms', { fields })).toEqual([
    {
      id: 'm1',
      occurrence: [{ case: { case_id: 'c2', submitter_id: 'C2' } }, { case: { case_id: 'lost' } }],
    },
  ])
})

test('each linked record is read once, neighbours together', () => {
  const cases = Array.from({ length: 10 }, (_, i) => ({ case_id: `c${i}`, submitter_id: `C${i}` }))
  const files = Array.from({ length: 200 }, (_, i) => ({
    file_id: `f${i}`,
    cases: [{ case_id: `c${(i * 7) % 10}` }],
  }))
  const records = source({ cases, files })
  const dataset = datasetOf('files')
  const { selection } = selectFields(dataset, { fields: ['cases.submitter_id'] }, 'list')
  const rows = Uint32Array.from(files.keys())
  const hits = [...new Projector(records).hits(compileProjection(dataset, selection), rows)]
  expect(hits[13]).toEqual({ id: 'f13', cases: [{ submitter_id: 'C1' }] })
  expect(records.reads.map(({ length }) => length)).toEqual([10, 64, 64, 64, 8])
})

test('linked records that were prepared are not read', () => {
  const records = source(commons)
  const dataset = datasetOf('files')
  const { selection } = selectFields(dataset, { fields: ['cases.submitter_id'] }, 'list')
  const lines = [Buffer.from('{"submitter_id":"ä1"}\n'), Buffer.from('{}\n')]
  const cases = linkedRecords(Uint32Array.of(0, 1), lines, 26)
  const projector = new Projector({ ...records, linked: { cases } })
  const hits = projector.hits(compileProjection(dataset, selection), Uint32Array.of(0, 1))
  expect([...hits]).toEqual([{ id: 'f1' }, { id: 'f2', cases: [{ submitter_id: 'ä1' }] }])
  expect(records.reads).toEqual([[0, 1]])
})
