import { expect, test } from 'vitest'
import type { GivenSource } from '../../../test/commons/import/support/documents.ts'
import { documentsOf, json, tsv, uuidOf } from '../../../test/commons/import/support/documents.ts'

// Consent codes of files and projects, by DUO's ids (engine/shared/access/consent.ts).

async function read(...sources: readonly GivenSource[]) {
  const { documents, intake } = await documentsOf(sources, { maxErrors: 99 })
  const told = intake.reports
    .flatMap(({ columns }) => columns)
    .find(({ name }) => name.startsWith('consent'))
  return { files: documents.files, projects: documents.projects, told }
}

const A = uuidOf('f', 1)
const B = uuidOf('f', 2)

test('files in JSON have a list of codes by id', async () => {
  const { files, told } = await read(
    json([
      { file_id: A, file_name: 'a.bam', consent: ['HMB', 'DUO:0000021', 'HMB'] },
      { file_id: B, file_name: 'b.bam', consent: 'DS-MONDO:0004992; NPU' },
    ]),
  )
  expect(files).toMatchObject([
    { consent: ['DUO:0000006', 'DUO:0000021'] },
    { consent: ['DUO:0000007 MONDO:0004992', 'DUO:0000045'] },
  ])
  expect(told?.changed).toEqual([{ name: 'written as the id of the Data Use Ontology', count: 4 }])
})

test('a table of files adds codes', async () => {
  const { files } = await read(
    tsv('files.tsv', ['file_id', 'file_name', 'consent'], [A, 'a.bam', 'GRU, IRB']),
  )
  expect(files).toMatchObject([{ consent: ['DUO:0000042', 'DUO:0000021'] }])
})

test('a project has codes', async () => {
  const { projects } = await read(json([{ project_id: 'PINE-1', name: 'Pine', consent: 'NRES' }]))
  expect(projects).toMatchObject([{ consent: ['DUO:0000004'] }])
})

test('a text that is no code is kept and told', async () => {
  const { files, told } = await read(
    json([{ file_id: A, file_name: 'a.bam', consent: ['by agreement', 'GRU'] }]),
  )
  expect(files).toMatchObject([{ consent: ['by agreement', 'DUO:0000042'] }])
  expect(told).toMatchObject({ misunderstood: 1, examples: [{ cell: 'by agreement' }] })
})
