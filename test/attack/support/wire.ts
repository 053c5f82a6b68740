import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Config, readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { fakeEngine, fakeStatus, keptLog } from '../../commons/contract/fake-engine.ts'

export interface FakeServer extends RunningServer {
  /** The number of slices requested so far. */
  slices(): number
}

/** A service over an engine without files. */
export async function startFake(settings: Partial<Config>): Promise<FakeServer> {
  const flags = { port: 0, logLevel: 'silent', drainSeconds: 0, ...settings } as const
  const config = readConfig({ flags })
  const { engine, requests } = fakeEngine()
  const { log } = keptLog(config)
  const server = await startServer({ engine, config, status: fakeStatus, log })
  return { ...server, slices: () => requests.length }
}

export interface RawClient {
  readonly socket: Socket
  /** The text received so far. */
  text(): string
  /** Waits until the connection is closed and returns the text received. */
  end(): Promise<string>
}

/** Opens a connection and sends this text as it is. */
export async function openRaw(server: RunningServer, text = ''): Promise<RawClient> {
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => {})
  await once(socket, 'connect')
  if (text !== '') socket.write(text, 'latin1')
  const said = () => Buffer.concat(received).toString('latin1')
  return {
    socket,
    text: said,
    async end() {
      if (!socket.closed) await once(socket, 'close')
      return said()
    },
  }
}

/** Sends a byte from time to time until the connection is closed. */
export function drip({ socket }: RawClient, byte: string): void {
  const dripping = setInterval(() => socket.write(byte), 50)
  socket.once('close', () => clearInterval(dripping))
}
