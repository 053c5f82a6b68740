// The parts of oidc-provider that the tests use. The package has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string }
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    on(event: string, listener: (...given: readonly unknown[]) => void): void
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
  }
}
