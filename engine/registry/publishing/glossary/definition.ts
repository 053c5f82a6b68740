import { defineRecords, type MemberDefinition } from '../content/define-records.ts'
import type { ContentOf, Members } from '../content/members.ts'
import { NAME } from '../content/name.ts'
import { listOf, type ObjectShape, TEXT, TEXTS, wordOf } from '../content/shape.ts'

export const GLOSSARY_CATEGORIES = [
  'GENERAL',
  'SOLID_TUMOR',
  'HEMATO',
  'NON_NEOPLASTIC',
  'SEERRX',
  'SEER_TRAINING',
  'LYMPH_NODES',
  'STAGING',
] as const

const RESOURCE = {
  is: 'object',
  name: 'GlossaryResource',
  needed: [],
  members: {
    name: TEXT,
    subtitle: TEXT,
    reference_type: TEXT,
    url: TEXT,
    edition: TEXT,
    year: TEXT,
    page: TEXT,
    citation: TEXT,
  },
} as const satisfies ObjectShape

/** Members of a glossary entry (registry.md 3, Glossary). */
const MEMBERS = {
  name: NAME,
  definition: { shape: TEXT, shown: 'PARTIAL', weight: 2, explained: true },
  alternate_name: { shape: TEXTS, shown: 'PARTIAL', weight: 6 },
  abstractor_note: { shape: TEXT, shown: 'FULL', weight: 1, explained: true },
  histology: { shape: TEXTS, shown: 'FULL', weight: 2 },
  primary_site: { shape: TEXTS, shown: 'FULL', weight: 2 },
  category: { shape: listOf(wordOf(GLOSSARY_CATEGORIES)), shown: 'PARTIAL', filters: true },
  subcategory: { shape: TEXTS, shown: 'PARTIAL', weight: 1 },
  resource: { shape: listOf(RESOURCE), shown: 'FULL' },
} as const satisfies Members

/** A glossary entry (registry.md 3). @interface */
export type GlossaryEntry = ContentOf<typeof MEMBERS>

export const GLOSSARY: MemberDefinition<GlossaryEntry> = defineRecords({
  area: 'glossary',
  editor: 'GLOSSARY_EDITOR',
  name: 'Glossary',
  members: MEMBERS,
})
