import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { isBam } from '../../shared/formats/bam.ts'
import { blockFrame, blockLength, inflateBlock } from '../../shared/formats/bgzf.ts'
import { isGzip } from '../../shared/formats/byte-source.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { BETWEEN_RECORDS, type LineLayout } from '../../shared/formats/tabix.ts'
import { shellWord } from '../../shared/input/shell-word.ts'
import { NO_LINES } from './alignment.ts'
import {
  ANEW,
  BY_INDEX,
  beginningOf,
  explainAbsence,
  foreignIndex,
  HEADER,
  NO_MARKER,
  unmarked,
} from './explain-file.ts'
import { kindOf } from './file-kind.ts'
import { FIRST_LINE } from './line-header.ts'
import { placeOfLine } from './records/line-cursor.ts'
import { RECORD } from './scan.ts'
import { type LinesFound, lookAtLines, textBlocks } from './text-blocks.ts'

interface GivenVariants {
  readonly path: string
  readonly indexPath?: string | undefined
}

/**
 * Converts an error about a file of variants or features given by path to one that names the file, the
 * problem and the command that fixes it. Returns other errors unchanged.
 */
export async function explainVariants(
  error: unknown,
  { path, indexPath }: GivenVariants,
): Promise<unknown> {
  if (!(error instanceof EngineError)) return error
  const { code } = error
  if (code === 'unavailable') return (await explainAbsence(path)) ?? error
  const name = JSON.stringify(basename(path))
  if (code === 'too_large') {
    return new EngineError(code, `${name}: ${error.message}`, { cause: error })
  }
  if (code !== 'bad_input' && code !== 'corrupt_source' && code !== 'no_index') return error
  const say = (code: 'bad_input' | 'no_index' | 'corrupt_source', text: string) =>
    new EngineError(code, `${name} ${text}`, { cause: error })
  const start = await beginningOf(path)
  const unfit = unfitOf(start, path)
  if (unfit !== undefined) return say('bad_input', unfit)
  const preset = presetOf(path, start)
  const again = async () => indexing(path, preset, await linesIn(path, preset), indexPath)
  // The contents of line-based files can only be checked with an index.
  const isUnread = error.at === NO_LINES || (indexPath === undefined && !isBinary(path))
  if (code === 'no_index' || isUnread) {
    const found = await linesIn(path, preset)
    // Without a preset, the columns are a guess.
    if (found === 'unsorted' && preset !== undefined) return say('bad_input', unsorted(path))
    const reason = isUnread ? 'its index does not say what its lines are' : error.message
    const what = indexPath === undefined ? 'has no index beside it' : `cannot be used: ${reason}`
    return say('no_index', `${what}; make one: ${indexing(path, preset, found, indexPath)}`)
  }
  if (error.at === FIRST_LINE) return say('bad_input', await firstLineOf(start, path))
  if (error.at === BY_INDEX) return say(code, foreignIndex(error.message, await again()))
  if (error.at === NO_MARKER) return say(code, unmarked(error.message, writing(path)))
  if (error.at === HEADER) return say(code, `is not read: ${error.message}; ${ANEW}`)
  if (error.at === RECORD) {
    return say(code, `has a record that is not read: ${error.message}; ${ANEW}`)
  }
  const place = placeOfLine(error.at)
  if (place) {
    const line = await lineAt(path, place)
    if (line) return say(code, await lineFault(path, line, error.message))
    const what = `index is not that of the file: no line begins at byte ${place.inner} of the block at byte ${place.block}`
    return say('no_index', `cannot be used: ${what}; make one: ${await again()}`)
  }
  if (code === 'bad_input') {
    return say('bad_input', unsorted(path))
  }
  return say(
    'corrupt_source',
    `is damaged or cut off: ${error.message}; copy it again from its source`,
  )
}

const isBinary = (path: string) => /\.bcf$/i.test(path)

/** If a file with this beginning cannot be a BGZF file of variants or features, returns the reason and the remedy. */
function unfitOf(start: Uint8Array, path: string): string | undefined {
  const kind = kindOf(start)
  if (kind === 'empty') return 'is empty; copy it again from its source'
  if (kind === undefined) return isBlocked(start) ? unfitBlocks(start, path) : undefined
  if (kind === 'CRAM' || kind === 'an index')
    return `is ${kind}; give a file of variants or features`
  if (isBlocked(start)) return undefined
  if (!isGzip(start)) return `is not packed; pack it: bgzip ${shellWord(path)}`
  const output = shellWord(path.replace(/(\.gz)?$/i, '.packed.gz'))
  return `is gzip, but not in blocks; pack it again: gzip -dc ${shellWord(path)} | bgzip > ${output}`
}

/**
 * Returns advice for BAM files, which kindOf does not name, and for empty BCF files. A block too damaged to read
 * gets no advice.
 */
function unfitBlocks(start: Uint8Array, path: string): string | undefined {
  if (isBinary(path) && textOf(start) === '') return 'has no header; copy it again from its source'
  try {
    const frame = blockFrame(start, 0, start.length)
    const isAlignments = frame !== undefined && isBam(inflateBlock(start, frame))
    return isAlignments ? 'is BAM; store it with "casemill import bam"' : undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

function isBlocked(start: Uint8Array): boolean {
  try {
    return isGzip(start) && blockLength(start, 0, start.length) > 0
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Returns the state of the lines of a file. Undefined if the file has no lines or is large. */
async function linesIn(path: string, preset: Preset | undefined): Promise<LinesFound | undefined> {
  return isBinary(path) ? undefined : lookAtLines(path, LAYOUTS[preset ?? 'generic'].layout)
}

/** @param given an existing index, which the tools only replace with -f */
function indexing(
  path: string,
  preset: Preset | undefined,
  found: LinesFound | undefined,
  given: string | undefined,
): string {
  const force = given === undefined ? '' : '-f '
  if (isBinary(path)) return `bcftools index ${force}${shellWord(path)}`
  // For files of unknown format, the command has the most common columns, which the user can correct.
  const { columns } = LAYOUTS[preset ?? 'generic']
  const command = (kind: string) => `tabix ${force}${kind}${columns} ${shellWord(path)}`
  // Readers would find an existing TBI before the new CSI, so the command deletes it.
  const cleared =
    given !== undefined && /\.tbi$/i.test(given) ? `rm -f ${shellWord(given)} && ` : ''
  const far = `${cleared}${command('-C ')}`
  if (found === undefined) return `${command('')}, or, for positions above 536870912: ${far}`
  if (found === 'farther' && preset === 'vcf') return withoutFarEnds(path)
  // With -m 15, bins are fewer and larger, so that the index covers positions twice as far.
  if (found === 'farther') return `${cleared}${command('-C -m 15 ')}`
  return found === 'far' ? far : command('')
}

/** Returns the command that writes a copy without INFO/END beyond 2^31, which bcftools reads as missing. */
function withoutFarEnds(path: string): string {
  const output = shellWord(path.replace(/(\.vcf)?(\.b?gz)?$/i, '.mended.vcf.gz'))
  return `bcftools view -Oz -o ${output} ${shellWord(path)} && tabix -f -C -p vcf ${output}`
}

const unsorted = (path: string) => `is not in coordinate order; sort it: ${sorting(path)}`

type Preset = 'vcf' | 'bed' | 'gff'

const columnsOf = (
  startColumn: number,
  endColumn: number,
  rest: Partial<LineLayout> = {},
): LineLayout => ({
  preset: 'generic',
  isZeroBased: false,
  nameColumn: 1,
  startColumn,
  endColumn,
  meta: 0x23,
  skip: 0,
  ...rest,
})

/** Options of tabix for the columns of each preset, with the columns that tabix uses. */
const LAYOUTS: Readonly<Record<Preset | 'generic', { columns: string; layout: LineLayout }>> = {
  vcf: { columns: '-p vcf', layout: columnsOf(2, 2, { preset: 'VCF' }) },
  bed: { columns: '-p bed', layout: columnsOf(2, 3, { isZeroBased: true }) },
  gff: { columns: '-p gff', layout: columnsOf(4, 5) },
  generic: { columns: '-s 1 -b 2 -e 2', layout: columnsOf(2, 2) },
}

/** Returns the preset that the first bytes of a file show, otherwise the one that its name suggests. */
function presetOf(path: string, start: Uint8Array): Preset | undefined {
  const text = textOf(start)
  if (text.startsWith('##fileformat=VCF') || text.startsWith('#CHROM\t')) return 'vcf'
  if (text.startsWith('##gff-version')) return 'gff'
  return presetByName(path)
}

function presetByName(path: string): Preset | undefined {
  if (/\.bed(\.|$)/i.test(path)) return 'bed'
  if (/\.(gff3?|gtf)(\.|$)/i.test(path)) return 'gff'
  return /\.vcf(\.|$)/i.test(path) ? 'vcf' : undefined
}

/** Returns the text of the first block. */
function textOf(start: Uint8Array): string {
  try {
    const frame = blockFrame(start, 0, start.length)
    return frame ? Buffer.from(inflateBlock(start, frame)).toString('latin1') : ''
  } catch (error) {
    if (error instanceof FormatError) return ''
    throw error
  }
}

const BYTE_ORDER_MARK = '\xef\xbb\xbf'

/** For a file indexed as VCF, returns what is wrong with its first line and the command that fixes it. */
async function firstLineOf(start: Uint8Array, path: string): Promise<string> {
  const isMarked = textOf(start).startsWith(BYTE_ORDER_MARK)
  const why = isMarked ? 'a byte order mark precedes it' : 'VCF has it as its first line'
  const mended = isMarked
    ? `gzip -dc ${shellWord(path)} | tail -c +4`
    : `(echo '##fileformat=VCFv4.2'; gzip -dc ${shellWord(path)})`
  return `does not begin with ##fileformat=VCF: ${why}; mend it: ${mended} | ${await packing(path, 'vcf')}`
}

/** Returns the command that compresses and indexes fixed text. */
async function packing(path: string, preset: Preset | undefined): Promise<string> {
  const stem = path.replace(/(\.(vcf|bed|gff3?|gtf))?(\.b?gz)?$/i, '')
  const output = shellWord(`${stem}.mended${preset === undefined ? '' : `.${preset}`}.gz`)
  const { columns } = LAYOUTS[preset ?? 'generic']
  const found = await linesIn(path, preset)
  const kind = found === 'far' || found === 'farther' ? '-C ' : ''
  return `bgzip > ${output} && tabix -f ${kind}${columns} ${output}`
}

/**
 * Command that drops empty lines, and comments after the first record. It also stops before the sequences that may
 * follow the lines of a GFF file.
 */
const DROPPED = `awk '/^##FASTA/ { exit } /^$/ || (/^#/ && r) { next } !/^#/ { r = 1 } 1'`
/** A line for genome browsers, which tabix does not read. */
const BROWSER_LINE = /^(track|browser)[ \t]/
const WITHOUT_BROWSER_LINES = `grep -vE '^(track|browser)[[:blank:]]'`

/**
 * Returns the part of a message with the number of the faulty line and the command that fixes or shows it.
 */
async function lineFault(
  path: string,
  { number, beginning }: FoundLine,
  what: string,
): Promise<string> {
  const reason = what.replace(/, in the block at byte \d+ of the file$/, '')
  const fault = `has a line that is not read, line ${number}: ${reason}`
  const isOfBrowser = BROWSER_LINE.test(beginning)
  if (reason !== BETWEEN_RECORDS && !isOfBrowser) {
    return `${fault}; look at it, and mend it: gzip -dc ${shellWord(path)} | sed -n ${number}p`
  }
  const drop = isOfBrowser ? WITHOUT_BROWSER_LINES : DROPPED
  const anew = await packing(path, presetByName(path))
  return `${fault}; take such lines out: gzip -dc ${shellWord(path)} | ${drop} | ${anew}`
}

interface LinePlaceInFile {
  readonly block: number
  readonly inner: number
}

interface FoundLine {
  readonly number: number
  /** The first characters of the line, as far as the block contains them. */
  readonly beginning: string
}

const NEWLINE = 10

/** Returns the line that begins at a place, or undefined if no line begins there. */
async function lineAt(
  path: string,
  { block, inner }: LinePlaceInFile,
): Promise<FoundLine | undefined> {
  let number = 1
  let last = NEWLINE
  for await (const { offset, bytes } of textBlocks(path)) {
    const counted = offset === block ? bytes.subarray(0, inner) : bytes
    for (const byte of counted) if (byte === NEWLINE) number++
    last = counted.at(-1) ?? last
    if (offset !== block) continue
    const beginning = Buffer.from(bytes.subarray(inner, inner + 10)).toString('latin1')
    return last === NEWLINE ? { number, beginning } : undefined
  }
  return undefined
}

/** Returns the command that writes the blocks of a file anew, with an end marker. */
function writing(path: string): string {
  const output = path.replace(/((\.\w+)?\.b?gz|\.bcf)?$/i, '.whole$1')
  return `gzip -dc ${shellWord(path)} | bgzip > ${shellWord(output)}`
}

function sorting(path: string): string {
  const preset = presetByName(path) ?? 'vcf'
  if (isBinary(path))
    return `bcftools sort -Ob -o ${shellWord(path.replace(/\.bcf$/i, '.sorted.bcf'))} ${shellWord(path)}`
  const stem = path.replace(/(\.(vcf|bed|gff3?|gtf))?(\.b?gz)?$/i, '')
  const output = shellWord(`${stem}.sorted.${preset}.gz`)
  if (preset === 'vcf') return `bcftools sort -Oz -o ${output} ${shellWord(path)}`
  const columns = preset === 'bed' ? '-k1,1 -k2,2n' : '-k1,1 -k4,4n'
  return `(zgrep ^# ${shellWord(path)}; zgrep -v ^# ${shellWord(path)} | sort ${columns}) | bgzip > ${output}`
}
