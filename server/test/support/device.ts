import { Agent, fetch as fetchFrom } from 'undici';
import { good, type ApiResponse } from './server.ts';

let addresses = 0;

/** A machine with the command line. Each has an address of its own, because begun sign-ins count for an address. */
export class Device {
  readonly url: string;
  readonly address: string;
  readonly #agent: Agent;

  constructor({ url }: { url: string }, address = `127.0.3.${++addresses}`) {
    this.url = url;
    this.address = address;
    this.#agent = new Agent({ localAddress: address });
  }

  async post(step: string, body: object = {}, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const response = await fetchFrom(`${this.url}/auth/device/${step}`, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: new Headers([...response.headers]), text, body: JSON.parse(text) };
  }

  /** Begins a sign-in, and returns its codes. */
  async begin(machine = 'laptop'): Promise<{ device_code: string; user_code: string; verification_url: string }> {
    return (await good(this.post('begin', { machine }))).body;
  }

  /** Asks for the key, once. */
  pickUp(deviceCode: string): Promise<ApiResponse> {
    return this.post('token', { device_code: deviceCode });
  }
}
