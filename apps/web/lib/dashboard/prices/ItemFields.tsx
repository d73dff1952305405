'use client';

import { Button, IconButton, NumberField, SelectField, TextField } from '@clarion/ui';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import type { RateDeck } from '../edit/resources.ts';
import {
  BLOCK_MAX_SECONDS,
  hasBlocks,
  hasDeck,
  isOfCalls,
  MAX_ITEMS,
  newItem,
  withKind,
  type ItemDraft,
  type PlanDraft,
} from './plan-draft.ts';
import { SamplePrice, type SampleCall } from './SamplePrice.tsx';
import { units } from './sample-price.ts';

interface ItemFieldsProps {
  draft: PlanDraft;
  change(changes: Partial<PlanDraft>): void;
  decks: readonly RateDeck[];
  sample: SampleCall;
}

export function ItemFields({ draft, change, decks, sample }: ItemFieldsProps) {
  const { items, currency } = draft;
  const set = (index: number, item: ItemDraft) =>
    change({ items: items.map((each, at) => (at === index ? item : each)) });
  const swap = (index: number, other: number) =>
    change({
      items: items.map(
        (each, at) => (at === index ? items[other] : at === other ? items[index] : each) ?? each,
      ),
    });
  return (
    <>
      {items.map((item, index) => (
        <div
          key={index}
          role="group"
          aria-label={`Item ${index + 1}`}
          className="flex flex-col gap-4 rounded-control border border-line p-4"
        >
          <div className="flex items-center justify-between gap-2">
            <span className="text-md font-semibold text-ink">Item {index + 1}</span>
            <span className="flex">
              <IconButton
                size="sm"
                label={`Move item ${index + 1} up`}
                icon={<ArrowUp aria-hidden />}
                disabled={index === 0}
                onClick={() => swap(index, index - 1)}
              />
              <IconButton
                size="sm"
                label={`Move item ${index + 1} down`}
                icon={<ArrowDown aria-hidden />}
                disabled={index === items.length - 1}
                onClick={() => swap(index, index + 1)}
              />
              <IconButton
                size="sm"
                label={`Remove item ${index + 1}`}
                icon={<X aria-hidden />}
                onClick={() => change({ items: items.toSpliced(index, 1) })}
              />
            </span>
          </div>
          <PriceFields
            item={item}
            name={(field) => `items[${index}].${field}`}
            set={(next) => set(index, next)}
            decks={decks}
            currency={currency}
          />
          <SamplePrice item={item} currency={currency} sample={sample} />
        </div>
      ))}
      {items.length < MAX_ITEMS && (
        <Button
          size="sm"
          className="self-start"
          icon={<Plus className="size-4" aria-hidden />}
          onClick={() => change({ items: [...items, newItem()] })}
        >
          Add an item
        </Button>
      )}
    </>
  );
}

const kinds: { value: ItemDraft['kind']; label: string }[] = [
  { value: 'CALL', label: 'Calls' },
  { value: 'RECORDING', label: 'Recordings' },
  { value: 'STORAGE', label: 'Storage' },
  { value: 'MONTHLY_FEE', label: 'Monthly fee' },
  { value: 'SEAT', label: 'Agents' },
  { value: 'NUMBER', label: 'Numbers' },
];
const methods: { value: ItemDraft['method']; label: string; note: string }[] = [
  { value: 'FLAT', label: 'Fixed price', note: 'The same for every destination.' },
  { value: 'DECK', label: 'Rate deck', note: 'The price of the number called.' },
  { value: 'DECK_MARKUP', label: 'Markup', note: 'A percentage on a rate deck or on your cost.' },
];
const ANY = 'ANY';
const YOUR_COST = 'COST';
const directions = [
  { value: ANY, label: 'Both directions' },
  { value: 'INBOUND', label: 'Inbound' },
  { value: 'OUTBOUND', label: 'Outbound' },
];
const channels = [
  { value: ANY, label: 'All channels' },
  { value: 'SIP', label: 'Phone (SIP)' },
  { value: 'WHATSAPP', label: 'WhatsApp' },
];
const owners = [
  { value: ANY, label: 'All trunks' },
  { value: 'CONSUMER', label: 'Your own trunks' },
  { value: 'PLATFORM', label: 'Platform trunks' },
];

interface PriceFieldsProps {
  item: ItemDraft;
  /** The name of a field in the request. */
  name(field: string): string;
  set(item: ItemDraft): void;
  decks: readonly RateDeck[];
  currency: string;
}

function PriceFields({ item, name, set, decks, currency }: PriceFieldsProps) {
  const change = (changes: Partial<ItemDraft>) => set({ ...item, ...changes });
  const any = <T extends string>(value: string) => (value === ANY ? '' : value) as T | '';
  const inCurrency = decks.filter((deck) => deck.currency === currency.trim().toUpperCase());
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <SelectField
        name={name('kind')}
        label="What is charged"
        choices={kinds}
        value={item.kind}
        onValueChange={(value) => {
          const kind = kinds.find((each) => each.value === value)?.value;
          if (kind !== undefined) set(withKind(item, kind));
        }}
      />
      <SelectField
        name={name('method')}
        label="Price"
        choices={methods.filter(({ value }) => value !== 'DECK' || item.kind === 'CALL')}
        value={item.method}
        onValueChange={(value) => {
          const method = methods.find((each) => each.value === value)?.value;
          if (method !== undefined) change({ method });
        }}
      />
      {item.method === 'FLAT' && (
        <TextField
          name={name('flat_rate')}
          label="Amount"
          inputMode="decimal"
          suffix={`${currency.trim().toUpperCase()} ${units[item.kind]}`}
          className="sm:col-span-2"
          value={item.flatRate}
          onValueChange={(flatRate) => change({ flatRate })}
        />
      )}
      {hasDeck(item) && (
        <SelectField
          name={name('deck_id')}
          label={item.method === 'DECK' ? 'Rate deck' : 'Markup on'}
          {...(item.method === 'DECK' && { className: 'sm:col-span-2' })}
          hint={
            inCurrency.length === 0
              ? `You have no rate deck in ${currency.trim().toUpperCase() || 'this currency'}.`
              : undefined
          }
          choices={[
            ...(item.method === 'DECK_MARKUP'
              ? [{ value: YOUR_COST, label: 'Your cost', note: "The carrier's price, or what you pay." }]
              : []),
            ...inCurrency.map(({ id, name: label, kind }) => ({
              value: String(id),
              label,
              note: kind === 'BUY' ? "A carrier's prices" : 'Your prices',
            })),
          ]}
          value={item.deckId || (item.method === 'DECK_MARKUP' ? YOUR_COST : null)}
          onValueChange={(value) => change({ deckId: value === YOUR_COST ? '' : value })}
        />
      )}
      {item.method === 'DECK_MARKUP' && (
        <TextField
          name={name('markup_percent')}
          label="Markup"
          inputMode="decimal"
          suffix="%"
          value={item.markupPercent}
          onValueChange={(markupPercent) => change({ markupPercent })}
        />
      )}
      {hasBlocks(item) && (
        <>
          <NumberField
            name={name('initial_seconds')}
            label="First billing block"
            unit="seconds"
            min={1}
            max={BLOCK_MAX_SECONDS}
            value={item.initialSeconds}
            onValueChange={(initialSeconds) => change({ initialSeconds })}
          />
          <NumberField
            name={name('increment_seconds')}
            label="Further blocks"
            unit="seconds"
            min={1}
            max={BLOCK_MAX_SECONDS}
            value={item.incrementSeconds}
            onValueChange={(incrementSeconds) => change({ incrementSeconds })}
          />
        </>
      )}
      {isOfCalls(item.kind) && (
        <div className="grid items-start gap-4 sm:col-span-2 sm:grid-cols-3">
          <SelectField
            name={name('direction')}
            label="Direction"
            choices={directions}
            value={item.direction || ANY}
            onValueChange={(value) => change({ direction: any(value) })}
          />
          <SelectField
            name={name('channel')}
            label="Channel"
            choices={channels}
            value={item.channel || ANY}
            onValueChange={(value) => change({ channel: any(value) })}
          />
          <SelectField
            name={name('trunk_owner')}
            label="Trunk"
            choices={owners}
            value={item.trunkOwner || ANY}
            onValueChange={(value) => change({ trunkOwner: any(value) })}
          />
        </div>
      )}
    </div>
  );
}
