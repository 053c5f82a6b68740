import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { isBam } from '../../shared/formats/bam.ts'
import {
  blockFrame,
  blockLength,
  inflateBlock,
  MAX_BLOCK_BYTES,
} from '../../shared/formats/bgzf.ts'
import { isGzip } from '../../shared/formats/byte-source.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { BETWEEN_RECORDS } from '../../shared/formats/tabix.ts'
import { shellWord } from '../../shared/input/shell-word.ts'
import { beginningOf, explainAbsence } from './explain-file.ts'
import { kindOf } from './file-kind.ts'
import { FIRST_LINE } from './line-header.ts'
import { placeOfLine } from './records/line-cursor.ts'

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
  if (code !== 'bad_input' && code !== 'corrupt_source' && code !== 'no_index') return error
  const name = JSON.stringify(basename(path))
  const say = (code: 'bad_input' | 'no_index' | 'corrupt_source', text: string) =>
    new EngineError(code, `${name} ${text}`, { cause: error })
  const start = await beginningOf(path)
  const unfit = unfitOf(start, path)
  if (unfit !== undefined) return say('bad_input', unfit)
  // The contents of line-based files can only be checked with an index.
  if (code === 'no_index' || (indexPath === undefined && !isBinary(path))) {
    const what =
      indexPath === undefined ? 'has no index beside it' : `cannot be used: ${error.message}`
    const command = indexing(path, presetOf(path, start), indexPath !== undefined)
    return say('no_index', `${what}; make one: ${command}`)
  }
  if (error.at === FIRST_LINE) return say('bad_input', firstLineOf(start, path))
  const place = placeOfLine(error.at)
  if (place) return say('corrupt_source', await lineFault(path, place, error.message))
  if (code === 'bad_input') {
    return say('bad_input', `is not in coordinate order; sort it: ${sorting(path)}`)
  }
  return say(
    'corrupt_source',
    `is damaged or cut off: ${error.message}; copy it again from its source`,
  )
}

const isBinary = (path: string) => /\.bcf$/i.test(path)

/** Returns why a file with this beginning is not a BGZF file of variants or features, and the remedy. */
function unfitOf(start: Uint8Array, path: string): string | undefined {
  const kind = kindOf(start)
  if (kind === 'empty') return 'is empty; copy it again from its source'
  if (kind === undefined) return isBlocked(start) ? unfitBlocks(start) : undefined
  if (kind === 'CRAM' || kind === 'an index')
    return `is ${kind}; give a file of variants or features`
  if (isBlocked(start)) return undefined
  if (!isGzip(start)) return `is not packed; pack it: bgzip ${shellWord(path)}`
  const output = shellWord(path.replace(/(\.gz)?$/i, '.packed.gz'))
  return `is gzip, but not in blocks; pack it again: gzip -dc ${shellWord(path)} | bgzip > ${output}`
}

/** Returns the advice for a BAM file, for which kindOf has no name. A block too damaged to read gets none. */
function unfitBlocks(start: Uint8Array): string | undefined {
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

/** @param isThere whether to replace an existing index, which the tools only do with -f */
function indexing(path: string, preset: Preset | undefined, isThere: boolean): string {
  const force = isThere ? '-f ' : ''
  if (isBinary(path)) return `bcftools index ${force}${shellWord(path)}`
  // For other files, the user knows the columns. Most have these.
  const columns = preset === undefined ? '-s 1 -b 2 -e 2' : `-p ${preset}`
  return `tabix ${force}${columns} ${shellWord(path)}`
}

type Preset = 'vcf' | 'bed' | 'gff'

/** Returns the preset that the first bytes of a file show or, if they show none, that its name suggests. */
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

/** Returns why the first line of a file indexed as VCF is wrong, and the command that fixes it. */
function firstLineOf(start: Uint8Array, path: string): string {
  const isMarked = textOf(start).startsWith(BYTE_ORDER_MARK)
  const why = isMarked ? 'a byte order mark stands before it' : 'VCF has it as its first line'
  const mended = isMarked
    ? `gzip -dc ${shellWord(path)} | tail -c +4`
    : `(echo '##fileformat=VCFv4.2'; gzip -dc ${shellWord(path)})`
  return `does not begin with ##fileformat=VCF: ${why}; mend it: ${mended} | ${packing(path, 'vcf')}`
}

/** Returns the command that compresses and indexes fixed text. */
function packing(path: string, preset: Preset | undefined): string {
  const stem = path.replace(/(\.(vcf|bed|gff3?|gtf))?(\.b?gz)?$/i, '')
  const output = `${stem}.mended${preset === undefined ? '' : `.${preset}`}.gz`
  return `bgzip > ${shellWord(output)} && ${indexing(output, preset, true)}`
}

const DROPPED = `awk '/^$/ || (/^#/ && r) { next } !/^#/ { r = 1 } 1'`

/**
 * Returns the part of a message with the number of the faulty line and the command that fixes or shows it.
 */
async function lineFault(path: string, place: LinePlaceInFile, what: string): Promise<string> {
  const number = await lineNumber(path, place)
  const reason = what.replace(/, in the block at byte \d+ of the file$/, '')
  const gone = `gzip -dc ${shellWord(path)} | ${DROPPED} | ${packing(path, presetByName(path))}`
  const shown = `gzip -dc ${shellWord(path)} | sed -n ${number}p`
  const advice =
    reason === BETWEEN_RECORDS
      ? `take such lines out: ${gone}`
      : `look at it, and mend it: ${shown}`
  return `has a line that is not read, line ${number}: ${reason}; ${advice}`
}

interface LinePlaceInFile {
  readonly block: number
  readonly inner: number
}

const NEWLINE = 10

async function lineNumber(path: string, { block, inner }: LinePlaceInFile): Promise<number> {
  let number = 1
  const file = await open(path)
  try {
    const head = Buffer.alloc(MAX_BLOCK_BYTES)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(head, 0, head.length, at)
      const frame = blockFrame(head, 0, bytesRead)
      if (!frame) return number
      const bytes = inflateBlock(head, frame)
      const counted = at === block ? bytes.subarray(0, inner) : bytes
      for (const byte of counted) if (byte === NEWLINE) number++
      if (at === block) return number
      at += frame.end
    }
  } finally {
    await file.close()
  }
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
