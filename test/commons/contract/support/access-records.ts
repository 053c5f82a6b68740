// A release for the access table: every way in which a record can say who may read, and stored bytes whose row
// in the catalogue says the opposite.

type Access = 'open' | 'controlled'

interface Row {
  readonly access: Access
  readonly acl?: readonly string[]
  readonly partOf?: string
}

interface AccessFile {
  readonly id: string
  readonly fileName: string
  /** The file's record; `null` if the release has none. */
  readonly record: null | {
    readonly access?: Access
    readonly acl?: readonly string[]
    readonly cases: readonly string[]
    readonly index?: readonly string[]
  }
  /** The file's row in the catalogue; `null` if the bytes are not stored. */
  readonly row: null | Row
  readonly isBam?: true
  /** Whether a user without rights must not learn the name and size. */
  readonly isSecret: boolean
}

const idOf = (n: number) => `0a000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`

const OPEN_ROW: Row = { access: 'open' }
const CLOSED_ROW: Row = { access: 'controlled' }

/** The files. Rows of the catalogue contradict the records wherever both exist. */
const FILES = {
  open: {
    id: idOf(1),
    fileName: 'plain-open.txt',
    record: { access: 'open', acl: ['open'], cases: ['a'], index: ['openIndex'] },
    row: CLOSED_ROW,
    isSecret: false,
  },
  openIndex: {
    id: idOf(2),
    fileName: 'plain-open.txt.idx',
    record: null,
    row: { access: 'controlled', partOf: 'open' },
    isSecret: false,
  },
  byProject: {
    id: idOf(3),
    fileName: 'hushed-by-project.maf',
    record: { access: 'controlled', acl: ['ALPHA-1'], cases: ['a'], index: ['index'] },
    row: OPEN_ROW,
    isSecret: true,
  },
  index: {
    id: idOf(4),
    fileName: 'hushed-by-project.maf.idx',
    record: null,
    row: { access: 'open', partOf: 'open' },
    isSecret: true,
  },
  byProgram: {
    id: idOf(5),
    fileName: 'hushed-by-program.maf',
    record: {
      access: 'controlled',
      acl: ['phs000111'],
      cases: ['a'],
      index: ['sharedIndex'],
    },
    row: OPEN_ROW,
    isSecret: true,
  },
  byAccession: {
    id: idOf(6),
    fileName: 'hushed-by-accession.maf',
    record: { access: 'controlled', acl: ['phs000333'], cases: ['a'] },
    row: OPEN_ROW,
    isSecret: true,
  },
  noList: {
    id: idOf(7),
    fileName: 'hushed-without-list.maf',
    record: { access: 'controlled', cases: ['a'] },
    row: OPEN_ROW,
    isSecret: true,
  },
  twoProjects: {
    id: idOf(8),
    fileName: 'hushed-of-two.maf',
    record: { access: 'controlled', cases: ['a', 'b'] },
    row: OPEN_ROW,
    isSecret: true,
  },
  nobody: {
    id: idOf(9),
    fileName: 'hushed-of-nobody.maf',
    record: { access: 'controlled', acl: [], cases: [] },
    row: OPEN_ROW,
    isSecret: true,
  },
  unsaid: {
    id: idOf(10),
    fileName: 'hushed-unsaid.maf',
    record: { cases: ['a'] },
    row: OPEN_ROW,
    isSecret: true,
  },
  superseded: {
    id: idOf(11),
    fileName: 'hushed-superseded.maf',
    record: null,
    row: { access: 'controlled', acl: ['ALPHA-1'] },
    isSecret: true,
  },
  supersededOpen: {
    id: idOf(12),
    fileName: 'plain-superseded.txt',
    record: null,
    row: OPEN_ROW,
    isSecret: false,
  },
  supersededIndex: {
    id: idOf(13),
    fileName: 'hushed-superseded.maf.idx',
    record: null,
    row: { access: 'open', partOf: 'superseded' },
    isSecret: true,
  },
  absent: {
    id: idOf(14),
    fileName: 'hushed-absent.maf',
    record: { access: 'controlled', acl: ['ALPHA-1'], cases: ['a'] },
    row: null,
    isSecret: true,
  },
  absentOpen: {
    id: idOf(15),
    fileName: 'plain-absent.txt',
    record: { access: 'open', acl: ['open'], cases: ['a'] },
    row: null,
    isSecret: false,
  },
  bamOpen: {
    id: idOf(16),
    fileName: 'plain-reads.bam',
    record: { access: 'open', acl: ['open'], cases: ['a'] },
    row: CLOSED_ROW,
    isBam: true,
    isSecret: false,
  },
  bam: {
    id: idOf(17),
    fileName: 'hushed-reads.bam',
    record: { access: 'controlled', acl: ['ALPHA-1'], cases: ['a'] },
    row: OPEN_ROW,
    isBam: true,
    isSecret: true,
  },
  besideShared: {
    id: idOf(18),
    fileName: 'plain-beside-shared.txt',
    record: { access: 'open', acl: ['open'], cases: ['a'], index: ['sharedIndex'] },
    row: OPEN_ROW,
    isSecret: false,
  },
  sharedIndex: {
    id: idOf(19),
    fileName: 'hushed-shared.idx',
    record: null,
    row: { access: 'open', partOf: 'besideShared' },
    isSecret: true,
  },
  unlistedIndex: {
    id: idOf(20),
    fileName: 'hushed-unlisted.idx',
    record: null,
    row: { access: 'open', partOf: 'byProject' },
    isSecret: true,
  },
} as const satisfies Readonly<Record<string, AccessFile>>

export type FileName = keyof typeof FILES
export const FILE_NAMES = Object.freeze(Object.keys(FILES) as FileName[])
export const fileOf = (name: FileName): AccessFile => FILES[name]

/** Unusual names that records give to open files, which are stored under harmless ones. */
export const WILD_NAMES: readonly string[] = Object.freeze([
  '../../../../planted.txt',
  '/etc/passwd',
  '..',
  '.',
  'a/../../planted.txt',
  '..\\planted.txt',
  'C:\\planted.txt',
  'name\r\nX-Evil: 1\r\n\r\nbody',
  'name\u0000.txt',
  'name"; filename=other.txt; x="',
  "name; filename*=UTF-8''other.txt",
  'tab\tand\u0085and\u2028.txt',
  `${'long'.repeat(25_000)}.txt`,
  `${'ü'.repeat(127)}.t`,
  'caf\u00e9.txt',
  'cafe\u0301.txt',
  '\u202egnp.exe',
  '\ud83d\udca9.txt',
  '\ud800.txt',
  ' blank .txt ',
  '-rf',
  '%2e%2e%2fplanted.txt',
  '$(id).txt',
  'x.txt\nMANIFEST.txt',
])

export const wildId = (i: number) => `0b000000-0000-4000-8000-${String(i).padStart(12, '0')}`

const CASES: Readonly<Record<string, object>> = {
  a: {
    case_id: '0c000000-0000-4000-8000-000000000001',
    project: {
      project_id: 'ALPHA-1',
      dbgap_accession_number: 'phs000333',
      program: { name: 'ALPHA', program_id: 'program-a', dbgap_accession_number: 'phs000111' },
    },
  },
  b: {
    case_id: '0c000000-0000-4000-8000-000000000002',
    project: {
      project_id: 'BETA-1',
      dbgap_accession_number: 'phs000444',
      program: { name: 'BETA', program_id: 'program-b', dbgap_accession_number: 'phs000222' },
    },
  },
}

interface Bytes {
  readonly size: number
  readonly md5: string
}

/** The files' records in the form of the public service. */
export function accessRecords(
  bytes: ReadonlyMap<FileName, Bytes>,
  wild: readonly Bytes[] = [],
): readonly object[] {
  const facts = (name: FileName) => {
    const { size, md5 } = bytes.get(name) ?? { size: 777_123, md5: 'f'.repeat(32) }
    return {
      file_id: FILES[name].id,
      file_name: FILES[name].fileName,
      file_size: size,
      md5sum: md5,
      data_format: fileOf(name).isBam ? 'BAM' : 'TXT',
    }
  }
  const spoken = FILE_NAMES.flatMap((name) => {
    const { record } = fileOf(name)
    if (!record) return []
    const { cases, index, ...rights } = record
    return {
      ...facts(name),
      ...rights,
      cases: cases.map((key) => CASES[key]),
      ...(index && { index_files: index.map((key) => facts(key as FileName)) }),
    }
  })
  const wildly = wild.map(({ size, md5 }, i) => ({
    file_id: wildId(i),
    file_name: WILD_NAMES[i],
    file_size: size,
    md5sum: md5,
    access: 'open',
    cases: [CASES.a],
  }))
  return [...spoken, ...wildly]
}
