require "set"

# A tree of names.
module Forest
  class Tree < Base
    attr_reader :root

    def initialize(root)
      @root = root
    end

    # Walks the tree.
    def each(&block)
      return enum_for(:each) unless block
      text = <<~TEXT
        def not_here
        end
      TEXT
      block.call(root, text)
    end

    def self.empty?
      false
    end
  end
end
