/** `<clarion-phone>`: the agent phone in a shadow root, for any page and any framework. See the guide “Embed the phone”. */
import type { Agent, GetToken, WebPushOptions } from '@clarion/sdk';
import { PhonePortal } from '@clarion/ui';
import { createRoot, type Root } from 'react-dom/client';
import css from 'phone-styles';
import { ClarionPhone } from '../ClarionPhone.tsx';
import type { PhoneEvent } from '../use-phone-events.ts';
import type { PhoneOptions } from '../use-phone.ts';
import { callFrom, tokenFrom } from './sources.ts';

/** The service is at the origin of this script, unless the element sets `url`. */
const { currentScript } = document;
const scriptOrigin =
  currentScript instanceof HTMLScriptElement && URL.canParse(currentScript.src)
    ? new URL(currentScript.src).origin
    : location.origin;

const ATTRIBUTES = ['url', 'token-url', 'call-url', 'push-worker-url', 'phone-url', 'size', 'theme'] as const;

let sheet: CSSStyleSheet | null = null;
function sharedSheet(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}

export class ClarionPhoneElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;
  #root: Root | null = null;
  #page: HTMLDivElement | null = null;
  #portal: HTMLDivElement | null = null;
  #getToken: GetToken | null = null;
  #createCall: PhoneOptions['createCall'];
  #saveNote: PhoneOptions['saveNote'];
  #setDoNotDisturb: PhoneOptions['setDoNotDisturb'];
  #agent: Agent | null = null;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** Instead of `token-url`. */
  get getToken(): GetToken | null {
    return this.#getToken;
  }
  set getToken(value: GetToken | null) {
    this.#getToken = value;
    this.#draw();
  }
  /** Instead of `call-url`. */
  get createCall(): PhoneOptions['createCall'] {
    return this.#createCall;
  }
  set createCall(value: PhoneOptions['createCall']) {
    this.#createCall = value;
    this.#draw();
  }
  get saveNote(): PhoneOptions['saveNote'] {
    return this.#saveNote;
  }
  set saveNote(value: PhoneOptions['saveNote']) {
    this.#saveNote = value;
    this.#draw();
  }
  get setDoNotDisturb(): PhoneOptions['setDoNotDisturb'] {
    return this.#setDoNotDisturb;
  }
  set setDoNotDisturb(value: PhoneOptions['setDoNotDisturb']) {
    this.#setDoNotDisturb = value;
    this.#draw();
  }

  /** Call it when the user signs out, before the page removes the element: calls no longer ring this browser while it is closed. */
  async signOut(): Promise<void> {
    await this.#agent?.signOut();
  }

  connectedCallback(): void {
    clearTimeout(this.#leaving);
    this.#adoptEarlyProperties();
    if (this.#root === null) {
      const shadow = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      shadow.adoptedStyleSheets = [sharedSheet()];
      this.#page = document.createElement('div');
      this.#page.className = 'clarion-root';
      this.#page.part.add('phone');
      this.#portal = document.createElement('div');
      this.#portal.part.add('popups');
      shadow.replaceChildren(this.#page, this.#portal);
      this.#root = createRoot(this.#page);
    }
    this.#draw();
  }

  disconnectedCallback(): void {
    // A framework that moves the element removes it and inserts it again. A call must survive that.
    this.#leaving = setTimeout(() => {
      this.#root?.unmount();
      this.#root = null;
    });
  }

  attributeChangedCallback(): void {
    this.#draw();
  }

  #draw(): void {
    if (!this.#root || !this.#page || !this.#portal) return;
    const theme = this.getAttribute('theme');
    for (const part of [this.#page, this.#portal]) {
      if (theme === 'light' || theme === 'dark') part.dataset['theme'] = theme;
      else delete part.dataset['theme'];
    }
    if (this.#getToken === null && !this.hasAttribute('token-url')) {
      // The agent is signed in once the page has set one of them.
      this.#root.render(<p>This phone is not signed in. Set token-url or getToken.</p>);
      return;
    }
    this.#root.render(
      <PhonePortal popups={this.#portal}>
        <ClarionPhone
          url={this.getAttribute('url') ?? scriptOrigin}
          getToken={this.#token}
          createCall={this.#createCall ?? (this.hasAttribute('call-url') ? this.#call : undefined)}
          saveNote={this.#saveNote}
          setDoNotDisturb={this.#setDoNotDisturb}
          webPush={this.#webPush()}
          onAgent={this.#adoptAgent}
          minimisable={this.getAttribute('size') !== 'large'}
          onMinimise={(minimised) => this.toggleAttribute('minimised', minimised)}
          onEvent={this.#dispatchPhoneEvent}
        />
      </PhonePortal>,
    );
  }

  #webPush(): WebPushOptions | undefined {
    const serviceWorkerUrl = this.getAttribute('push-worker-url');
    if (serviceWorkerUrl === null) return undefined;
    return { serviceWorkerUrl, phoneUrl: this.getAttribute('phone-url') ?? undefined };
  }

  readonly #adoptAgent = (agent: Agent | null): void => {
    this.#agent = agent;
  };

  readonly #token: GetToken = () => {
    if (this.#getToken) return this.#getToken();
    return tokenFrom(this.getAttribute('token-url') ?? '');
  };

  readonly #call = (line: string, to: string): Promise<number> =>
    callFrom(this.getAttribute('call-url') ?? '', line, to);

  readonly #dispatchPhoneEvent = ({ type, ...detail }: PhoneEvent): void => {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  };

  /** Properties that were set before this script ran are own properties of the object and hide the setters. */
  #adoptEarlyProperties(): void {
    for (const name of ['getToken', 'createCall', 'saveNote', 'setDoNotDisturb'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }
}

if (!customElements.get('clarion-phone')) customElements.define('clarion-phone', ClarionPhoneElement);

declare global {
  interface HTMLElementTagNameMap {
    'clarion-phone': ClarionPhoneElement;
  }
}
