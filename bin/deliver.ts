import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { ByteStream } from '../engine/shared/index.ts'
import type { Terminal } from './terminal.ts'

/** Writes bytes to a file, which appears when it is whole, or to standard output; disposes of them. */
export async function deliver(
  given: ByteStream,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> {
  try {
    if (output === undefined) {
      for await (const chunk of given.body) await terminal.write(chunk)
      return
    }
    if (existsSync(output) && !(await isRegular(output))) return await writeTo(output, given)
    // What fails must not look like one that is complete.
    const part = `${output}.part`
    try {
      await writeTo(part, given)
      await rename(part, output)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  } finally {
    await given[Symbol.asyncDispose]()
  }
}

/** Whether it is a file, and not a pipe or a device, which cannot be renamed over. */
export async function isRegular(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    return (await file.stat()).isFile()
  } finally {
    await file.close()
  }
}

async function writeTo(path: string, { body }: ByteStream): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const chunk of body) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}
