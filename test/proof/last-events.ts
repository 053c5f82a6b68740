import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** The channel on which tests publish the lines of logs kept in memory. */
export const LOG_CHANNEL = 'casemill.test.log'

/** The number of requests and lines to show for a failure. */
const MAX_REQUESTS = 6
const MAX_LINES = 25
const MAX_CHARACTERS = 2000

/** The shown parts of the messages on `undici:request:*`. */
interface FetchEvent {
  readonly request: {
    readonly method: string
    readonly origin: string
    readonly path: string
    readonly body?: unknown
  }
  readonly response?: { readonly statusCode: number }
}

interface ClientEvent {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

/**
 * The last requests of a process, and the last lines of its child processes' standard error and of logs
 * that tests keep. Node publishes requests and processes to whoever asks, so no test has to hand over
 * anything.
 */
export class LastEvents implements Disposable {
  #requests: string[] = []
  #lines: string[] = []
  readonly #listeners: Readonly<Record<string, (event: unknown) => void>> = {
    'undici:request:headers': (event) => {
      const { request, response } = event as FetchEvent
      const body = typeof request.body === 'string' ? ` ${request.body}` : ''
      this.#asked(`${request.method} ${request.origin}${request.path}${body}`, response?.statusCode)
    },
    'http.client.response.finish': (event) => {
      const { request, response } = event as ClientEvent
      const origin = `${request.protocol}//${request.getHeader('host')}`
      this.#asked(`${request.method} ${origin}${request.path}`, response.statusCode)
    },
    child_process: (event) => {
      const { process: child } = event as { readonly process: ChildProcess }
      // Node publishes a process before its streams exist.
      process.nextTick(() => child.stderr && this.#watch(child.stderr))
    },
    [LOG_CHANNEL]: (line) => this.#said(String(line)),
  }

  constructor() {
    for (const [name, listener] of Object.entries(this.#listeners)) subscribe(name, listener)
  }

  [Symbol.dispose](): void {
    for (const [name, listener] of Object.entries(this.#listeners)) unsubscribe(name, listener)
  }

  /** Forgets everything before the next test. */
  clear(): void {
    this.#requests = []
    this.#lines = []
  }

  /** A readable report; empty if nothing happened. */
  text(): string {
    const part = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `  ${line}`).join('\n')}\n`
    return `${part('last requests', this.#requests)}${part('last lines of logs', this.#lines)}`
  }

  #asked(request: string, status: number | undefined): void {
    this.#requests = [...this.#requests, shorten(`${request} -> ${status}`)].slice(-MAX_REQUESTS)
  }

  #said(text: string): void {
    const lines = text.split('\n').filter((line) => line !== '')
    this.#lines = [...this.#lines, ...lines.map(shorten)].slice(-MAX_LINES)
  }

  /** Watches a stream without a listener, which would make it flow before the test listens. */
  #watch(stream: Readable): void {
    const emit = stream.emit.bind(stream)
    stream.emit = (name: string | symbol, ...values: unknown[]) => {
      if (name === 'data') this.#said(String(values[0]))
      return emit(name, ...values)
    }
  }
}

const shorten = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text
