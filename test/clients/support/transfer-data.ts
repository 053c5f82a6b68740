import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importCommons } from '../../../engine/commons/index.ts'
import { openEngine } from '../../../engine/index.ts'
import { nameUuid } from '../../../engine/shared/catalogue/uuid.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { md5Of } from './stored-state.ts'

/** A file as it must be downloaded. */
export interface MadeFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
  readonly md5: string
  readonly access: 'open' | 'controlled'
}

export interface TransferData {
  readonly dataFolder: string
  /** A controlled file of twelve MiB, with an index and two annotations. */
  readonly large: MadeFile
  readonly index: MadeFile
  readonly annotationIds: readonly string[]
  /** Five hundred files of at most 20 kB, every second one controlled. */
  readonly small: readonly MadeFile[]
  /** A small, open file that is not stored. */
  readonly absent: MadeFile
  /** An open file that is too large for a group and not stored. */
  readonly absentLarge: MadeFile
  /** An open file whose name no header can hold unchanged, and the file that it replaced. */
  readonly current: MadeFile
  readonly replacedId: string
  /** The token of a user who may read controlled files. */
  readonly token: string
}

const PROJECT = 'ALPHA-ONE'
const LARGE_BYTES = 12 << 20
const SMALL_FILES = 500
const SMALL_BYTES = 20_000

const idOf = (name: string) => nameUuid(`transfer ${name}`)

/** Makes a data folder with a release, the bytes of its files, and a token. */
export async function makeTransferData(folder: string): Promise<TransferData> {
  const random = randomFrom(4)
  const make = (name: string, size: number, access: MadeFile['access']): MadeFile => {
    const bytes = Buffer.from(
      Uint32Array.from({ length: Math.ceil(size / 4) }, () => random.below(2 ** 32)).buffer,
      0,
      size,
    )
    return { id: idOf(name), name, bytes, md5: md5Of(bytes), access }
  }
  const large = make('calls.vcf.gz', LARGE_BYTES, 'controlled')
  const index = make('calls.vcf.gz.tbi', 30_000, 'controlled')
  const current = make('counts (new) ä.tsv', 3 << 20, 'open')
  const small = Array.from({ length: SMALL_FILES }, (_, i) =>
    make(`small-${i}.txt`, (i * 7919) % SMALL_BYTES, i % 2 === 0 ? 'open' : 'controlled'),
  )
  const absent = make('absent.txt', 1000, 'open')
  const absentLarge = make('absent-large.txt', 2 << 20, 'open')
  const annotationIds = [idOf('annotation 1'), idOf('annotation 2')]
  const replacedId = idOf('counts-old.tsv')

  const sources = join(folder, 'sources')
  const bytes = join(folder, 'bytes')
  const dataFolder = join(folder, 'data')
  await mkdir(sources, { recursive: true })
  await mkdir(bytes)
  const records = [
    { ...recordOf(large), ...belongings(index, annotationIds) },
    ...[current, absent, absentLarge, ...small].map(recordOf),
  ]
  await writeFile(join(sources, 'files.json'), JSON.stringify(records))
  const swaps = ['Old File UUID\tOld File Name\tNew File UUID\tNew File Name']
  swaps.push(`${replacedId}\tcounts-old.tsv\t${current.id}\t${current.name}`)
  await writeFile(join(sources, 'DR2.0_swapped.tsv'), `${swaps.join('\n')}\n`)
  await importCommons({ sources: [sources], dataFolder, executor: inlineExecutor, release: '2.0' })

  const files = [large, index, current, ...small]
  for (const file of files) await writeFile(join(bytes, file.name), file.bytes)
  const manifest = join(folder, 'manifest.txt')
  await writeFile(manifest, manifestOf(files))
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    const { stored, issues } = await engine.commons.importFiles({ manifest, from: bytes })
    if (stored !== files.length || issues > 0) throw new Error(`${stored} files were stored`)
    const { secret } = await engine.shared.tokens.create({ user: 'reader', projects: [PROJECT] })
    const made = { large, index, annotationIds, small, absent, absentLarge, current, replacedId }
    return { dataFolder, ...made, token: secret }
  } finally {
    await engine.close()
  }
}

/** The manifest of some files (data-commons.md 3.7). */
export function manifestOf(files: readonly MadeFile[]): string {
  const rows = files.map(({ id, name, md5, bytes }) =>
    [id, name, md5, bytes.length, 'released'].join('\t'),
  )
  return `${['id\tfilename\tmd5\tsize\tstate', ...rows].join('\n')}\n`
}

function recordOf({ id, name, bytes, md5, access }: MadeFile) {
  return {
    file_id: id,
    file_name: name,
    file_size: bytes.length,
    md5sum: md5,
    access,
    acl: [access === 'open' ? 'open' : PROJECT],
    state: 'released',
    data_category: 'Simple Nucleotide Variation',
    data_format: name.endsWith('.gz') ? 'VCF' : 'TXT',
    cases: [{ case_id: idOf('case'), project: { project_id: PROJECT } }],
  }
}

function belongings(index: MadeFile, annotationIds: readonly string[]) {
  const { id, name, bytes, md5 } = index
  return {
    index_files: [
      {
        file_id: id,
        file_name: name,
        file_size: bytes.length,
        md5sum: md5,
        access: index.access,
        data_format: 'TBI',
      },
    ],
    annotations: annotationIds.map((annotation_id) => ({
      annotation_id,
      entity_type: 'case',
      entity_id: idOf('case'),
      case_id: idOf('case'),
      category: 'General',
      notes: 'seen twice',
      status: 'Approved',
    })),
  }
}
