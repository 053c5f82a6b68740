import { inflateAll, type StrictBam, type StrictRecord } from './strict-bam.ts'

// Strict, slow readers of whole files of variants and features, written from their specifications and
// from what bcftools 1.16 and tabix 1.16 print: they share no code with the engine.

export type StrictKind = 'vcf' | 'bcf' | 'bed' | 'gff'

/** A file in the form for tests of slices; its references are those of header and records. */
export function readVariants(bytes: Buffer, kind: StrictKind): StrictBam {
  const inflated = inflateAll(bytes)
  return kind === 'bcf' ? readBcf(inflated) : readLines(inflated, kind)
}

function readLines(inflated: Buffer, kind: Exclude<StrictKind, 'bcf'>): StrictBam {
  const header: string[] = []
  const names: string[] = []
  const records: StrictRecord[] = []
  let headerLength = 0
  for (let from = 0; from < inflated.length; ) {
    const newline = inflated.indexOf('\n', from)
    const to = newline < 0 ? inflated.length : newline + 1
    const line = inflated.toString('utf8', from, newline < 0 ? to : newline)
    if (line.startsWith('#')) {
      header.push(line)
      headerLength = to
    } else {
      const fields = line.replace(/\r$/, '').split('\t')
      const [name = ''] = fields
      if (!names.includes(name)) names.push(name)
      records.push({ from, to, reference: names.indexOf(name), ...placeOf(fields, kind, header) })
    }
    from = to
  }
  for (const line of header) {
    const name = /^##contig=<ID=([^,>]+)/.exec(line)?.[1]
    if (name !== undefined && !names.includes(name)) names.push(name)
  }
  return { inflated, headerLength, records, references: names.map(lengthFrom(records)) }
}

const lengthFrom = (records: readonly StrictRecord[]) => (name: string, number: number) => {
  const ends = records.filter(({ reference }) => reference === number).map(({ end }) => end)
  return { name, length: ends.reduce((a, b) => Math.max(a, b), 1000) }
}

function placeOf(fields: readonly string[], kind: 'vcf' | 'bed' | 'gff', header: string[]) {
  if (kind === 'bed') return { start: Number(fields[1]), end: Number(fields[2]) }
  if (kind === 'gff') return { start: Number(fields[3]) - 1, end: Number(fields[4]) }
  const start = Number(fields[1]) - 1
  if (start < 0) return { start, end: 0 }
  const ref = start + (fields[3] ?? '').length
  const info = (fields[7] ?? '').split(';').find((one) => one.startsWith('END='))
  const stated = info === undefined ? 0 : Number.parseInt(info.slice(4), 10)
  if (!(stated > start)) return { start, end: ref }
  // tabix reads any END, whereas bcftools requires its declaration.
  const isDeclared = header.some((line) => /^##INFO=<ID=END,.*Type=Integer/.test(line))
  // bcftools view: "Extreme INFO/END value encountered and set to missing"
  const isRead = isDeclared && stated <= 2147483647
  return { start, end: isRead ? stated : Math.min(stated, ref) }
}

function readBcf(inflated: Buffer): StrictBam {
  if (inflated.toString('latin1', 0, 5) !== 'BCF\x02\x02') throw new Error('no BCF magic')
  const headerLength = 9 + inflated.readUInt32LE(5)
  const names: string[] = []
  for (const line of inflated.toString('utf8', 9, headerLength).split('\n')) {
    const found = /^##contig=<ID=([^,>]+).*?(?:,IDX=(\d+))?>$/.exec(line)
    if (found?.[1] !== undefined) names[Number(found[2] ?? names.length)] = found[1]
  }
  const records: StrictRecord[] = []
  for (let from = headerLength; from < inflated.length; ) {
    const to = from + 8 + inflated.readUInt32LE(from) + inflated.readUInt32LE(from + 4)
    const start = inflated.readInt32LE(from + 12)
    const end = start < 0 ? 0 : start + inflated.readInt32LE(from + 16)
    records.push({ from, to, reference: inflated.readInt32LE(from + 8), start, end })
    from = to
  }
  return { inflated, headerLength, records, references: names.map(lengthFrom(records)) }
}
