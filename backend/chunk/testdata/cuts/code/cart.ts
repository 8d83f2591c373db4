import { Item } from './item'
import type { Rate } from './rate'

const LIMIT = 10

/** Prices an item. */
export const price = (item: Item, rate: Rate = { tax: 0.2 }): number => {
  return item.net * (1 + rate.tax)
}

// A cart of a shop.
@Component({ selector: 'cart' })
export class Cart<T extends Item> {
  private items: T[] = []
  #total = 0

  constructor(private readonly owner: string) {
    this.items = []
  }

  get size(): number {
    return this.items.length
  }

  /** Adds an item, at most LIMIT of them; the pattern is no division: */
  add(item: T): boolean {
    if (this.items.length >= LIMIT || /[}/]/.test(item.name)) {
      return false
    }
    this.items.push(item)
    this.#total += price(item)
    return true
  }

  describe = (): string => `${this.owner} has ${this.items.map((i) => `{${i.name}}`).join(', ')}`
}

export default function checkout(cart: Cart<Item>) {
  return cart.size > 0
}

export interface Receipt {
  lines: string[]
}
