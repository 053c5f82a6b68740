import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { isBam } from '../../shared/formats/bam.ts'
import { blockFrame, blockLength, inflateBlock } from '../../shared/formats/bgzf.ts'
import { isGzip } from '../../shared/formats/byte-source.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { beginningOf, explainAbsence, quoted } from './explain-file.ts'
import { kindOf } from './file-kind.ts'

export interface GivenVariants {
  readonly path: string
  readonly indexPath?: string | undefined
}

/**
 * What was thrown over a file of variants or features that somebody gave by its path, as an error that
 * names the file, what is wrong with it and the command that makes it right. Other errors are returned as
 * they are.
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
  const unfit = unfitOf(await beginningOf(path), path)
  if (unfit !== undefined) return say('bad_input', unfit)
  // Whether it is whole can be said of lines only with an index, which says what is in them.
  if (code === 'no_index' || (indexPath === undefined && !isBinary(path))) {
    const what =
      indexPath === undefined ? 'has no index beside it' : `cannot be used: ${error.message}`
    return say('no_index', `${what}; make one: ${indexing(path, indexPath !== undefined)}`)
  }
  if (code === 'bad_input') {
    return say('bad_input', `is not in coordinate order; sort it: ${sorting(path)}`)
  }
  return say(
    'corrupt_source',
    `is damaged or cut off: ${error.message}; copy it again from its source`,
  )
}

const isBinary = (path: string) => /\.bcf$/i.test(path)

/** Why a file that begins so is none of variants or features in blocks, and what to do. */
function unfitOf(start: Uint8Array, path: string): string | undefined {
  const kind = kindOf(start)
  if (kind === 'empty') return 'is empty; copy it again from its source'
  if (kind === undefined) return isBlocked(start) ? unfitBlocks(start) : undefined
  if (kind === 'CRAM' || kind === 'an index')
    return `is ${kind}; give a file of variants or features`
  if (isBlocked(start)) return undefined
  if (!isGzip(start)) return `is not packed; pack it: bgzip ${quoted(path)}`
  const output = quoted(path.replace(/(\.gz)?$/i, '.packed.gz'))
  return `is gzip, but not in blocks; pack it again: gzip -dc ${quoted(path)} | bgzip > ${output}`
}

/** kindOf has no name for BAM, nor for what is too damaged to be seen. */
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

/** @param isThere whether it takes the place of another, which the tools do not do by themselves */
function indexing(path: string, isThere: boolean): string {
  const force = isThere ? '-f ' : ''
  if (isBinary(path)) return `bcftools index ${force}${quoted(path)}`
  return `tabix ${force}-p ${presetOf(path)} ${quoted(path)}`
}

function presetOf(path: string): 'vcf' | 'bed' | 'gff' {
  if (/\.bed(\.|$)/i.test(path)) return 'bed'
  return /\.(gff3?|gtf)(\.|$)/i.test(path) ? 'gff' : 'vcf'
}

function sorting(path: string): string {
  const preset = presetOf(path)
  if (isBinary(path))
    return `bcftools sort -Ob -o ${quoted(path.replace(/\.bcf$/i, '.sorted.bcf'))} ${quoted(path)}`
  const stem = path.replace(/(\.(vcf|bed|gff3?|gtf))?(\.b?gz)?$/i, '')
  const output = quoted(`${stem}.sorted.${preset}.gz`)
  if (preset === 'vcf') return `bcftools sort -Oz -o ${output} ${quoted(path)}`
  const columns = preset === 'bed' ? '-k1,1 -k2,2n' : '-k1,1 -k4,4n'
  return `(zgrep ^# ${quoted(path)}; zgrep -v ^# ${quoted(path)} | sort ${columns}) | bgzip > ${output}`
}
