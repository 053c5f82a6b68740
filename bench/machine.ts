import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { versionOf } from './tools.ts'

/** What the figures depend on besides the code. */
export interface MachineFacts {
  readonly processor: string
  readonly processors: number
  readonly memoryBytes: number
  readonly system: string
  /** Runnable processes in the minute before: what else was running. */
  readonly loadBefore: number
}

export function machineFacts(): MachineFacts {
  const processors = cpus()
  return {
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    memoryBytes: totalmem(),
    system: `${process.platform} ${process.arch} ${release()}`,
    loadBefore: loadavg()[0] ?? 0,
  }
}

/** The programs that take part; those that are missing are left out. */
export function toolVersions(): Readonly<Record<string, string>> {
  const versions: Record<string, string | undefined> = {
    node: process.version,
    zlib: process.versions.zlib,
    revision: revision(),
    samtools: versionOf('samtools'),
    sambamba: versionOf('sambamba'),
    nginx: versionOf('nginx', '-v'),
    curl: versionOf('curl'),
    cc: versionOf('cc'),
  }
  return Object.fromEntries(
    Object.entries(versions).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** The commit that was measured, marked when the working tree differs from it. */
function revision(): string | undefined {
  const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  const { status, stdout } = spawnSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
