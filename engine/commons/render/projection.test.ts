import { expect, test } from 'vitest'
import { datasetOf } from '../datasets/index.ts'
import { selectFields } from '../datasets/select.ts'
import { compileProjection, printedTypes, projectionKeys } from './projection.ts'

function compiled(name: 'cases' | 'files' | 'ssms', ...fields: string[]) {
  const dataset = datasetOf(name)
  return compileProjection(dataset, selectFields(dataset, { fields }, 'list').selection)
}

test('fields of groups become a tree, under the names that were asked for', () => {
  expect(compiled('files', 'file_size', 'analysis.workflow_type', 'analysis.analysis_id')).toEqual({
    parts: [],
    dataset: 'files',
    id: 'file_id',
    members: [
      { kind: 'leaf', from: 'file_size', as: 'file_size', type: 'long' },
      {
        kind: 'group',
        from: 'analysis',
        as: 'analysis',
        members: [
          expect.objectContaining({ from: 'workflow_type', type: 'exact' }),
          expect.objectContaining({ from: 'analysis_id' }),
        ],
      },
    ],
  })
  expect(compiled('ssms', 'cosmic_id').members).toEqual([
    { kind: 'leaf', from: 'catalog_id', as: 'cosmic_id', type: 'keyword' },
  ])
})

test('the id of a linked record and own members come from the own document, the rest by the link', () => {
  const projection = compiled(
    ...(['files', 'cases.case_id', 'cases.samples.sample_id', 'cases.submitter_id'] as const),
    'cases.project.dbgap_accession_number',
  )
  expect(projection.members).toMatchObject([
    {
      kind: 'group',
      from: 'cases',
      members: [{ from: 'case_id' }, { from: 'samples', members: [{ from: 'sample_id' }] }],
      link: {
        at: 'cases',
        level: 'cases',
        target: {
          dataset: 'cases',
          members: [
            { from: 'submitter_id' },
            {
              from: 'project',
              members: [],
              link: {
                at: 'project',
                level: '',
                target: {
                  dataset: 'projects',
                  members: [{ from: 'registry_accession_number', as: 'dbgap_accession_number' }],
                },
              },
            },
          ],
        },
      },
    },
  ])
  expect(projectionKeys(projection)).toEqual([
    ...['links/files/cases', 'levels/files/cases', 'links/cases/project'],
  ])
})

test('where only the id and own members are asked for, no link is followed', () => {
  const projection = compiled('files', 'cases.case_id', 'cases.samples.sample_id')
  expect(projection.members[0]).not.toHaveProperty('link')
  expect(projectionKeys(projection)).toEqual([])
})

test('a reverse mount leads to the records that name this one, by their own names', () => {
  const projection = compiled('ssms', 'occurrence.occurrence_id', 'occurrence.case.case_id')
  expect(projection.members).toMatchObject([
    {
      kind: 'reverse',
      as: 'occurrence',
      through: 'ssm',
      level: '',
      target: {
        dataset: 'ssm_occurrences',
        members: [
          { from: 'ssm_occurrence_id', as: 'occurrence_id' },
          { from: 'case', members: [{ from: 'case_id' }] },
        ],
      },
    },
  ])
  expect(projectionKeys(projection)).toEqual(['links/ssm_occurrences/ssm'])
  expect(projectionKeys(compiled('cases', 'files.file_id'))).toEqual([
    ...['links/files/cases', 'levels/files/cases'],
  ])
})

test('types are known by the printed names', () => {
  const projection = compiled('files', 'proportion_reads_mapped', 'cases.project.project_id')
  expect([...printedTypes(projection)]).toEqual([
    ['id', 'keyword'],
    ['proportion_reads_mapped', 'double'],
    ['cases.project.project_id', 'exact'],
  ])
})
