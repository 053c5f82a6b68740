import { spawn, spawnSync } from 'node:child_process'

/** Whether a program can be started; it is called with one argument that makes it end at once. */
export function hasTool(name: string, argument = '--version'): boolean {
  return spawnSync(name, [argument], { stdio: 'ignore' }).error === undefined
}

/** First line of what a program says of its version, or undefined when it is not there. */
export function versionOf(name: string, argument = '--version'): string | undefined {
  const { error, stdout, stderr } = spawnSync(name, [argument], { encoding: 'utf8' })
  if (error) return undefined
  return `${stdout}\n${stderr}`
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '')
}

interface ToolRun {
  readonly milliseconds: number
  readonly output: string
}

/**
 * Runs a program to its end and says how long that took, from before it is started.
 * @throws Error when it fails
 */
export function runTool(name: string, words: readonly string[]): Promise<ToolRun> {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    const child = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000)
    })
    let milliseconds = 0
    child.on('error', reject)
    child.on('exit', () => {
      milliseconds = performance.now() - start
    })
    child.on('close', (code) => {
      if (code === 0) resolve({ milliseconds, output: Buffer.concat(output).toString() })
      else reject(new Error(`${name} ${words.slice(0, 8).join(' ')}: status ${code} ${complaint}`))
    })
  })
}
