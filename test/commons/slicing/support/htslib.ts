import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NamedInterval } from '../../../../engine/shared/input/region.ts'
import { packBam } from './pack-bam.ts'
import { inflateAll } from './strict-bam.ts'
import type { StrictKind } from './strict-variants.ts'

/** Bytes as BGZF whose blocks end at the given offsets. */
export const packed = packBam

/** Returns the standard output of a command; fails if the command does. */
export function run(command: string, ...words: string[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    execFile(command, words, { maxBuffer: 1 << 29, encoding: 'buffer' }, (error, stdout) => {
      if (error) reject(error)
      else resolve(stdout)
    })
  })
}

interface Printed {
  readonly theirs: Buffer
  readonly ours: Buffer
}

/**
 * The records of each of some regions as bcftools or tabix print them of a file, and all records of our
 * slices `0.ours`, `1.ours`… in the folder as the same tool prints them. One shell for all of them:
 * starting a process from a large one takes long.
 */
export async function printRegions(
  kind: StrictKind,
  path: string,
  intervals: readonly NamedInterval[],
  folder: string,
): Promise<readonly Printed[]> {
  await writeFile(join(folder, 'regions'), intervals.map((one) => `${regionOf(one)}\n`).join(''))
  const isLines = kind === 'bed' || kind === 'gff'
  // For BCF it prints the records themselves, for VCF their lines as rewritten by bcftools, for our slices as well.
  const view = `bcftools view --no-version ${kind === 'bcf' ? '-Ou' : '-H'}`
  const theirs = isLines ? 'tabix "$1" "$r"' : `${view} -r "$r" "$1"`
  // tabix drops the line ends of other systems, and ends the last line.
  const ours = isLines
    ? `bgzip -dc "$2/$i.ours" | grep -v '^#' | tr -d '\\r'`
    : `${view} "$2/$i.ours"`
  const loop = `${theirs} >"$2/$i.theirs" || exit 1; ${ours} >"$2/$i.printed"; i=$((i+1))`
  const script = `i=0; while read -r r; do ${loop}; done <"$2/regions"`
  await run('sh', '-c', script, 'sh', path, folder)
  const read = async (name: string) => {
    const bytes = await readFile(join(folder, name))
    return kind === 'bcf' ? recordsOfBcf(bytes) : bytes
  }
  return Promise.all(
    intervals.map(async (_, i) => ({
      theirs: await read(`${i}.theirs`),
      ours: await read(`${i}.printed`),
    })),
  )
}

function regionOf({ reference, start, end }: NamedInterval): string {
  const name = reference.includes(':') ? `{${reference}}` : reference
  if (start === 0 && end === Infinity) return name
  return `${name}:${start + 1}-${end === Infinity ? '' : end}`
}

function recordsOfBcf(bytes: Buffer): Buffer {
  const inflated = bytes[0] === 0x1f ? inflateAll(bytes) : bytes
  return inflated.subarray(9 + inflated.readUInt32LE(5))
}
