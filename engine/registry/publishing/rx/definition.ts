import { EngineError } from '../../../shared/errors.ts'
import { defineRecords, type MemberDefinition } from '../content/define-records.ts'
import type { ContentOf, Members } from '../content/members.ts'
import { NAME } from '../content/name.ts'
import { TEXT, TEXTS, wordOf } from '../content/shape.ts'

const RX_TYPES = ['DRUG', 'REGIMEN'] as const

/** Members of drugs and regimens (registry.md 3, Rx). */
const MEMBERS = {
  name: NAME,
  type: { shape: wordOf(RX_TYPES), needed: true, shown: 'MIN', filters: true, orders: true },
  alternate_name: { shape: TEXTS, shown: 'PARTIAL', weight: 6 },
  primary_site: { shape: TEXTS, shown: 'FULL', weight: 2, explained: true },
  histology: { shape: TEXT, shown: 'FULL', weight: 2, explained: true },
  remarks: { shape: TEXT, shown: 'PARTIAL', weight: 1, explained: true },
  evs_id: { shape: TEXT, shown: 'FULL', weight: 6 },
  abbreviation: { shape: TEXTS, shown: 'PARTIAL', weight: 6 },
  category: { shape: TEXTS, shown: 'PARTIAL', weight: 2, filters: true },
  subcategory: { shape: TEXTS, shown: 'PARTIAL', weight: 2 },
  nsc_number: { shape: TEXTS, shown: 'FULL', weight: 6 },
  do_not_code: {
    shape: wordOf(['YES', 'NO', 'SEE_REMARKS']),
    shown: 'PARTIAL',
    filters: true,
  },
  drugs: { shape: TEXTS, shown: 'FULL', filters: true },
  radiation: { shape: TEXT, shown: 'FULL', weight: 1, explained: true },
} as const satisfies Members

/** A drug or regimen (registry.md 3, Rx). @interface */
export type Rx = ContentOf<typeof MEMBERS>

export const RX: MemberDefinition<Rx> = defineRecords({
  area: 'rx',
  editor: 'RX_EDITOR',
  name: 'Rx',
  members: MEMBERS,
  check({ type, drugs }) {
    if (type === 'REGIMEN' || drugs === undefined) return
    const message = '"drugs" is there in a DRUG; give it in a REGIMEN only'
    throw new EngineError('bad_input', message, { at: 'drugs' })
  },
})
