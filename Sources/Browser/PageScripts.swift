import JSON

/// The scripts that flow runs in pages, each an expression.
enum PageScripts {
  /// Takes connections around the proxy and workers that outlive it from a page, before any script of its own runs.
  ///
  /// Popups are closed besides.
  static let restrictions = """
    for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel']) {
      try { Object.defineProperty(window, name, { value: undefined }) } catch {}
    }
    try { navigator.serviceWorker.register = () => Promise.reject(new Error('blocked')) } catch {}
    window.open = () => null;
    """

  static let document = """
    (() => {
      const type = document.doctype;
      return (type ? '<!DOCTYPE ' + type.name + '>' : '') + document.documentElement.outerHTML;
    })()
    """

  /// Gives the document with the elements that are shown numbered by an attribute, their boxes, and the size of the page.
  ///
  /// The copy belongs to no window, so that nothing of it runs.
  static func survey(_ mark: String) -> String {
    """
    (mark => {
      const root = document.documentElement;
      const copy = document.implementation.createHTMLDocument('').importNode(root, true);
      const copies = copy.querySelectorAll('*');
      const boxes = [];
      [...root.querySelectorAll('*')].forEach((element, place) => {
        const box = element.getBoundingClientRect();
        const isShown = box.width > 2 && box.height > 2 && box.right > 0 && box.bottom + scrollY > 0
          && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        if (!isShown || boxes.length >= 20000) return;
        copies[place].setAttribute(mark, boxes.length);
        boxes.push([box.left + scrollX, box.top + scrollY, box.width, box.height].map(Math.round));
      });
      const page = document.scrollingElement || root;
      return { document: '<!DOCTYPE html>' + copy.outerHTML, boxes, width: innerWidth, height: page.scrollHeight };
    })(\(literal(mark)))
    """
  }

  /// Scrolls to the end and gives the height of the page.
  static let scroll = """
    (() => {
      const page = document.scrollingElement || document.documentElement;
      window.scrollTo({ top: page.scrollHeight, behavior: 'instant' });
      return page.scrollHeight;
    })()
    """

  static func exists(_ selector: String) -> String { "document.querySelector(\(literal(selector))) !== null" }

  /// Gives the place for a click; an object without one where the element is covered, and has been clicked by itself; null
  /// while there is none.
  static func click(_ selector: String) -> String {
    """
    (selector => {
      const element = document.querySelector(selector);
      if (!element) return null;
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const box = element.getBoundingClientRect();
      if (!box.width || !box.height) return null;
      const x = box.left + box.width / 2, y = box.top + box.height / 2;
      const top = document.elementFromPoint(x, y);
      if (top && (top === element || element.contains(top))) return { x, y };
      element.click();
      return {};
    })(\(literal(selector)))
    """
  }

  /// Sets a field, with the events of that; null while there is none.
  static func fill(_ selector: String, _ value: String) -> String {
    """
    ((selector, value) => {
      const element = document.querySelector(selector);
      if (!element) return null;
      element.focus();
      if (element.isContentEditable) element.textContent = value; else element.value = value;
      for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));
      return true;
    })(\(literal(selector)), \(literal(value)))
    """
  }

  /// Chooses an option by its value or label; null while there is none.
  static func select(_ selector: String, _ value: String) -> String {
    """
    ((selector, value) => {
      const element = document.querySelector(selector);
      const option = element && element.options
        && [...element.options].find(it => it.value === value || it.label.trim() === value);
      if (!option) return null;
      element.value = option.value;
      for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));
      return true;
    })(\(literal(selector)), \(literal(value)))
    """
  }

  /// The place and size of an element in the page; null without one.
  static func box(_ selector: String) -> String {
    """
    (selector => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      if (!box || !box.width || !box.height) return null;
      return { x: box.left + scrollX, y: box.top + scrollY, width: box.width, height: Math.min(box.height, 10000), scale: 1 };
    })(\(literal(selector)))
    """
  }

  /// Clicks a cookie banner away, by refusing rather than by agreeing; whether there was one.
  static let banner = #"""
    (() => {
      const known = ['#onetrust-reject-all-handler', '#CybotCookiebotDialogBodyButtonDecline',
        '#didomi-notice-disagree-button', '.didomi-continue-without-agreeing', '.sp_choice_type_REJECT_ALL',
        '[data-testid="uc-deny-all-button"]', '.cmpboxbtnno', '#truste-consent-required', '.cky-btn-reject',
        '#onetrust-accept-btn-handler', '#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll',
        '#didomi-notice-agree-button', '[data-testid="uc-accept-all-button"]', '.cmpboxbtnyes',
        '#truste-consent-button', '.cky-btn-accept', '.fc-cta-consent', '.cc-dismiss', '.cc-allow'];
      const no = /^(reject|decline|refuse|deny|disagree|no,? thanks|only (necessary|essential)|(necessary|essential)( cookies)? only|use (necessary|essential)|continue without|alle(s)? ablehnen|ablehnen|nur (notwendige|erforderliche|technisch)|tout refuser|refuser|continuer sans|rechazar|rifiuta|recusar|weigeren|alles weigeren|odrzu|avvisa|afvis|avslå)/i;
      const yes = /^(accept|agree|i agree|allow|ok\b|okay|got it|i understand|alle(s)? akzeptieren|akzeptieren|zustimmen|einverstanden|verstanden|accepter|tout accepter|j.accepte|aceptar|accetta|aceitar|accepteren|akkoord|zaakceptuj|akceptuj|godkänn|tillad)/i;
      const isShown = element => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== 'hidden';
      };
      const roots = [document];
      for (const element of document.querySelectorAll('#usercentrics-root, [id*="consent"], [id*="cookie"]')) {
        if (element.shadowRoot) roots.push(element.shadowRoot);
      }
      for (const root of roots) {
        for (const selector of known) {
          const element = root.querySelector(selector);
          if (element && isShown(element)) { element.click(); return true; }
        }
      }
      const boxes = [...document.querySelectorAll('dialog, [role*="dialog"], div, section, aside, footer, form')]
        .filter(it => it.matches('dialog[open], [role*="dialog"]')
          || ['fixed', 'sticky'].includes(getComputedStyle(it).position))
        .filter(it => isShown(it) && it.textContent.length < 5000
          && /cookie|consent|gdpr|datenschutz|privacy|privacidad|confidentialit/i.test(it.textContent));
      for (const words of [no, yes]) {
        for (const box of boxes) {
          for (const it of box.querySelectorAll('button, a, [role="button"], input[type="button"], input[type="submit"]')) {
            if (words.test((it.textContent || it.value || '').trim()) && isShown(it)) { it.click(); return true; }
          }
        }
      }
      return false;
    })()
    """#

  /// A text as a script writes it.
  private static func literal(_ text: String) -> String {
    Value.string(text).description
  }
}
