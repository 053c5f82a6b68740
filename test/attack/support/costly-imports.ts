import { gzipSync } from 'node:zlib'
import { madeZip } from '../../../fixtures/made-zip.ts'

// Files that are the most expensive to import for their size: highest compression, widest and longest rows,
// deepest trees.

interface CostlyFile {
  readonly what: string
  readonly name: string
  readonly bytes: Buffer
}

/** How an importer gets its file. */
interface CostlyImporter {
  readonly files: (megabytes: number) => readonly CostlyFile[]
  readonly args: (path: string) => readonly string[]
  /** Whether the importer needs a release that has files and cases. */
  readonly needsRelease?: true
}

const MIB = 1 << 20

/** Tables of meaningless rows: as many, as wide or as long as the given size allows, and all highly compressible. */
const tables =
  (head: readonly string[], separator = '\t', extension = 'tsv.gz') =>
  (megabytes: number): CostlyFile[] => {
    const line = `${head.map(() => '1').join(separator)}\n`
    const first = `${head.join(separator)}\n`
    const bytes = megabytes * MIB
    const wide = Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(separator)
    const texts = {
      'most rows': first + line.repeat(bytes / line.length),
      'emptiest rows': `${first}${'\n'.repeat(bytes)}`,
      'one row without an end': first + 'x'.repeat(bytes),
      'longest cell': `${first}${'x'.repeat(bytes)}${line.slice(1)}`,
      'widest rows': `${head.join(separator)}${separator}${wide}\n${`${wide}\n`.repeat(megabytes)}`,
      'a quote without an end': `${first}"${line.repeat(bytes / line.length)}`,
    }
    return Object.entries(texts).map(([what, text]) => ({
      what,
      name: `made.${extension}`,
      bytes: extension.endsWith('gz') ? gzipSync(text) : Buffer.from(text),
    }))
  }

const lines = (extension: string) => (megabytes: number) =>
  Object.entries({
    'deepest lists': '['.repeat(megabytes * MIB),
    'deepest objects': '{"a":'.repeat((megabytes * MIB) / 5),
    'longest line': `{"id":"${'x'.repeat(megabytes * MIB)}"}\n`,
    'most lines': '{}\n'.repeat((megabytes * MIB) / 3),
    'most names': `{${Array.from({ length: megabytes * 50_000 }, (_, i) => `"k${i}":1`)}}\n`,
  }).map(([what, text]) => ({ what, name: `made.${extension}`, bytes: Buffer.from(text) }))

const trees = (root: string, extension: string) => (megabytes: number) => {
  const bytes = megabytes * MIB
  const attributes = Array.from({ length: megabytes * 20_000 }, (_, i) => ` a${i}="1"`).join('')
  return Object.entries({
    'deepest elements': `<${root}>${'<a>'.repeat(bytes / 3)}`,
    'most attributes': `<${root}${attributes}/>`,
    'longest text': `<${root}>${'x'.repeat(bytes)}</${root}>`,
    'longest comment': `<${root}><!--${'x'.repeat(bytes)}--></${root}>`,
    'entities of entities': `<!DOCTYPE a [${Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join('')}]><${root}>&e30;</${root}>`,
  }).map(([what, text]) => ({ what, name: `made.${extension}`, bytes: Buffer.from(text) }))
}

const archives = (megabytes: number): CostlyFile[] => {
  const content = Buffer.alloc(16 * megabytes * MIB, 0x20)
  const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}.json`, content: '{}' }))
  return [
    { what: 'highest compression', entries: [{ name: 'schemas/a.json', content }] },
    { what: 'most entries', entries: many },
    { what: 'deepest JSON', entries: [{ name: 'tables/a.json', content: '['.repeat(4 * MIB) }] },
  ].map(({ what, entries }) => ({ what, name: 'made.zip', bytes: madeZip(entries) }))
}

/** A gzip member of zeros. It is not BGZF, whose blocks inflate to at most 64 KiB. */
const packed = (extension: string, begin: string) => (megabytes: number) =>
  Object.entries({
    'highest compression': Buffer.concat([
      Buffer.from(begin, 'latin1'),
      Buffer.alloc(16 * megabytes * MIB),
    ]),
    'longest line': Buffer.from(begin + 'x'.repeat(megabytes * MIB), 'latin1'),
  }).map(([what, bytes]) => ({ what, name: `made.${extension}`, bytes: gzipSync(bytes) }))

const plain =
  (...words: string[]) =>
  (path: string) => [...words, path]

/** The importers by their command's name; costly-imports.ci.test.ts fails for a command that is missing. */
export const COSTLY_IMPORTS: Readonly<Record<string, CostlyImporter>> = {
  bam: { files: packed('bam', 'BAM\x01\xff\xff\xff\x7f'), args: plain() },
  commons: { files: lines('json'), args: plain() },
  'copy-number': { files: tables(['gene_id', 'case_id', 'copy_number']), args: plain() },
  cram: { files: packed('cram', 'CRAM\x03\x00'), args: plain() },
  disease: { files: lines('ndjson'), args: plain() },
  expression: {
    files: tables(['gene_id', 'gene_name', 'gene_type', 'unstranded']),
    args: plain(),
    needsRelease: true,
  },
  files: {
    files: tables(['id', 'filename', 'md5', 'size', 'state'], '\t', 'txt'),
    args: (path) => ['--manifest', path, '--from', '.'],
  },
  genes: { files: tables(['gene_id', 'symbol', 'chromosome', 'start', 'end']), args: plain() },
  glossary: { files: lines('ndjson'), args: plain() },
  hcpcs: { files: tables(['hcpcs_code', 'description']), args: plain() },
  'hcpcs-categories': { files: tables(['hcpcs_code', 'categories'], ',', 'csv'), args: plain() },
  hematopoietic: { files: tables(['code', 'name'], ',', 'csv'), args: plain() },
  maf: {
    files: tables(['Hugo_Symbol', 'Chromosome', 'Start_Position', 'Tumor_Sample_Barcode']),
    args: plain(),
  },
  naaccr: { files: trees('NaaccrDictionary', 'xml'), args: plain() },
  ndc: {
    files: tables(['PRODUCTID', 'PRODUCTNDC', 'PROPRIETARYNAME'], '\t', 'txt'),
    args: plain(),
  },
  'ndc-categories': { files: tables(['ndc', 'categories']), args: plain() },
  rx: { files: lines('ndjson'), args: plain() },
  staging: { files: archives, args: plain() },
  // Larger files are rejected by their size.
  surgery: { files: (megabytes) => trees('surgery', 'xml')(Math.min(megabytes, 8)), args: plain() },
  variants: { files: packed('vcf.gz', '##fileformat=VCFv4.2\n'), args: plain() },
}
