import type { Engine } from '../../../engine/index.ts'

/** A record of each area with a value in one member of each kind. */
export const MADE_RECORDS = {
  rx: {
    id: 'made',
    name: 'Made drug',
    type: 'DRUG',
    do_not_code: 'SEE_REMARKS',
    alternate_name: ['made name'],
    category: ['Chemotherapy'],
    remarks: 'For made nodes.',
    evs_id: 'E1',
  },
  glossary: {
    id: 'made',
    name: 'Made term',
    definition: 'Of a made node.',
    alternate_name: ['node', 'İstanbul'],
    category: ['GENERAL', 'STAGING'],
    resource: [{ name: 'A book', year: '2020' }],
  },
  disease: {
    id: 'made',
    name: 'Made disease',
    type: 'HEMATO',
    icdO3_morphology: '9840/3',
    icdO2_morphology: ['9840/3'],
    icdO3_effective: { start: 2001 },
    primary_site: [{ low: 'C421', high: 'C424' }],
    valid: { start: 2001, end: 2030 },
    reportable: [{ start: 2001 }],
    icd_10cm_code: [{ value: 'C94.0', start: '2015-10-01' }],
    grade: [{ value: 9, start: 2001 }],
    treatment: [{ value: 'A made node.', start: 2001, end: 2020 }],
    same_primary: [{ value: '9861/3', start: 2010 }],
    source: [{ name: 'A book', pages: '1-2' }],
  },
} as const

/** Publishes the made records, and one additional record of each area. */
export async function loadMade({ registry: { rx, glossary, disease } }: Engine): Promise<void> {
  const user = 'made'
  await rx.load([MADE_RECORDS.rx, { ...MADE_RECORDS.rx, id: 'made2' }], { user })
  await glossary.load([MADE_RECORDS.glossary, { ...MADE_RECORDS.glossary, id: 'made2' }], { user })
  await disease.load([MADE_RECORDS.disease, { ...MADE_RECORDS.disease, id: 'made2' }], { user })
}
