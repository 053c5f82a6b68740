// The members of answers that the public client knows (registry.md 3); it fails on any other. A member is plain,
// or holds objects, alone or in lists, with members of their own.

type Known = { readonly [member: string]: Known | 'plain' }

function plain(...names: readonly string[]): Known {
  return Object.fromEntries(names.map((name) => [name, 'plain']))
}

function each(known: Known, ...names: readonly string[]): Known {
  return Object.fromEntries(names.map((name) => [name, known]))
}

const MATCH = plain('id', 'name', 'keyword', 'category', 'start', 'end')
const YEARS = plain('start', 'end')
const YEARS_TEXT = plain('value', 'start', 'end')

const PUBLISHABLE: Known = {
  ...plain('id', 'name', 'version', 'hidden', 'status', 'assigned_to', 'note', 'field_notes'),
  ...plain('first_published', 'last_modified', 'fingerprint', 'score'),
  glossary: MATCH,
}

const RX: Known = {
  ...PUBLISHABLE,
  ...plain('type', 'alternate_name', 'primary_site', 'histology', 'remarks', 'evs_id'),
  ...plain('abbreviation', 'category', 'subcategory', 'nsc_number', 'do_not_code', 'drugs'),
  ...plain('radiation'),
}

const GLOSSARY: Known = {
  ...PUBLISHABLE,
  ...plain('definition', 'alternate_name', 'abstractor_note', 'histology', 'primary_site'),
  ...plain('category', 'subcategory'),
  resource: plain(
    ...['name', 'subtitle', 'reference_type', 'url', 'edition', 'year', 'page', 'citation'],
  ),
}

const DISEASE: Known = {
  ...PUBLISHABLE,
  ...plain('type', 'icdO3_morphology', 'icdO2_morphology', 'icdO1_morphology'),
  ...plain('primary_site_text', 'site_category', 'obsolete_new_code', 'icd_10_code', 'icd_9_code'),
  ...each(YEARS, 'icdO3_effective', 'icdO2_effective', 'icdO1_effective', 'valid', 'reportable'),
  ...each(YEARS_TEXT, 'icd_10cm_code', 'grade', 'abstractor_note', 'treatment', 'treatment_text'),
  ...each(YEARS_TEXT, 'genetics', 'alternate_name', 'definition', 'signs', 'exams', 'mortality'),
  ...each(YEARS_TEXT, 'recurrence', 'missing_primary_site_message', 'transform_to'),
  ...each(YEARS_TEXT, 'transform_to_text', 'transform_from', 'transform_from_text'),
  ...each(YEARS_TEXT, 'immunophenotype', 'diagnosis_method', 'module_id', 'same_primary'),
  ...each(YEARS_TEXT, 'same_primaries_text', 'progression', 'diagnostic_confirmation'),
  ...each(YEARS_TEXT, 'biomarkers', 'metastatic'),
  primary_site: plain('low', 'high'),
  source: plain('name', 'section', 'pages'),
}

const RECORDS = { rx: RX, glossary: GLOSSARY, disease: DISEASE } as const

export type ClientArea = keyof typeof RECORDS

/** The members of a record that the client knows. */
export function knownMembers(area: ClientArea): string[] {
  return Object.keys(RECORDS[area])
}

/** The members of an operation's answer that the client reads. */
function knownOf(area: ClientArea, path: string): Known {
  const record = RECORDS[area]
  if (path.endsWith('/versions')) {
    return plain('version', 'type', 'first_published', 'last_modified', 'count')
  }
  if (path.endsWith('/match')) return MATCH
  if (path.endsWith('/changelog')) {
    const entries = { ...plain('id', 'name'), old: record, new: record }
    const changelog = plain('user', 'date', 'version', 'description')
    return {
      ...plain('total', 'count', 'offset'),
      changelogs: { ...changelog, ...each(entries, 'adds', 'mods', 'deletes') },
    }
  }
  if (path.endsWith('/same_primary')) {
    return plain('disease1', 'year1', 'disease2', 'year2', 'is_same')
  }
  if (path.includes('/primary_site')) return plain('value', 'label')
  if (path.endsWith('/site_categories'))
    return { ...plain('id', 'label'), sites: plain('low', 'high') }
  if (/\/id\/[\w-]+(\/regimens|\/\d{4})?$/.test(path) || path.endsWith('/reportability'))
    return record
  return {
    ...plain('terms', 'total', 'count', 'offset', 'max_score', 'order'),
    results: record,
  }
}

/** Places of members that the client does not know or cannot read. */
export function unreadable(area: ClientArea, path: string, answer: unknown): string[] {
  return faultsOf(answer, knownOf(area, path), 'answer')
}

function faultsOf(value: unknown, known: Known, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one, i) => faultsOf(one, known, `${at}[${i}]`))
  if (typeof value !== 'object' || value === null) return [`${at} is no object`]
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined
    const place = `${at}.${name}`
    if (inner === undefined) return [`${place} is unknown`]
    if (inner !== 'plain') return faultsOf(member, inner, place)
    const isMap = name === 'field_notes'
    const isPlain = [member].flat().every((one) => typeof one !== 'object')
    return isMap || isPlain ? [] : [`${place} is an object`]
  })
}
