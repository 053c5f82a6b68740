import { expect, test } from 'vitest'
import { formatAddress, parseAddress } from '../address/address.ts'
import { menuOf } from '../frame/page-list.ts'
import { foundOf, pagesNamed } from './find.ts'

const id = (text: string) => Buffer.from(text).toString('base64')
const led = (text: string, members: Readonly<Record<string, unknown>> = {}) =>
  foundOf({ id: id(text), ...members }).map(({ kind, title, detail, to }) => [
    kind,
    title,
    detail,
    decodeURIComponent(formatAddress(to(parseAddress('#/')))).replaceAll('+', ' '),
  ])

test('each kind of record leads to its page', () => {
  expect(led('Case:c1', { submitter_id: 'PINE-1', primary_site: 'Lung' })).toEqual([
    ['Case', 'PINE-1', 'Lung', '#/case?id=c1'],
  ])
  expect(led('File:f1', { file_name: 'a.bam' })).toEqual([['File', 'a.bam', '', '#/file?id=f1']])
  expect(led('Gene:ENSG1', { symbol: 'TP53', name: 'p53' })).toEqual([
    ['Gene', 'TP53', 'p53', '#/genes?gene=TP53'],
  ])
  expect(led('Gene:ENSG1')).toEqual([['Gene', 'ENSG1', '', '#/genes?gene=ENSG1']])
  expect(
    led('Ssm:s1', { genomic_dna_change: 'chr1:g.1A>T', gene_aa_change: ['A 1', 'B 2'] }),
  ).toEqual([['Variant', 'chr1:g.1A>T', 'A 1, B 2', '#/variant?id=s1']])
  expect(led('Annotation:a1', { entity_id: 'e1', entity_type: 'sample' })).toEqual([
    ['Annotation', 'a1', 'of the sample e1', '#/case?id=e1'],
  ])
  expect(led('Other:x')).toEqual([])
})

test('a project leads to a cohort of its cases', () => {
  const [[kind, title, , address = ''] = []] = led('Project:PINE', { name: 'Pines' })
  expect([kind, title]).toEqual(['Project', 'PINE'])
  expect(address).toContain('"field":"project.project_id","value":["PINE"]')
})

test('pages are found by the start of any word of their title', () => {
  expect(pagesNamed(menuOf(false), 'surv').map(({ title }) => title)).toEqual(['Survival'])
  expect(pagesNamed(menuOf(false), 'cohorts').map(({ title }) => title)).toEqual([
    'Compare cohorts',
  ])
  expect(pagesNamed(menuOf(false), 'zzz')).toEqual([])
})
